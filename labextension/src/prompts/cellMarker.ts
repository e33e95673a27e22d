import type { CodeCell, ICellModel } from '@jupyterlab/cells';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { CellChange, ISharedCell } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { isPrompt } from './source';

/** The CSS class of a prompt cell. */
export const PROMPT_CLASS = 'dialog-ext-Prompt';

/** The type of Markdown cells: a prompt is highlighted as one. */
export const PROMPT_MIME_TYPE = 'text/x-ipythongfm';

/**
 * Shows whether one code cell is a prompt.
 *
 * It changes nothing that is saved: a model's MIME type is no part of the document.
 */
export class CellMarker implements IDisposable {
  /**
   * @param cell - The code cell.
   * @param codeMimeType - Gives the type of the notebook's code.
   * @param languages - The languages that editors highlight.
   */
  constructor(
    cell: CodeCell,
    codeMimeType: () => string,
    languages: IEditorLanguageRegistry
  ) {
    this._cell = cell;
    this._model = cell.model;
    this._codeMimeType = codeMimeType;
    this._languages = languages;
    this._model.sharedModel.changed.connect(this._onSharedChanged, this);
    this._model.mimeTypeChanged.connect(this._onMimeTypeChanged, this);
    this._update();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private _onSharedChanged(_: ISharedCell, change: CellChange): void {
    // Outputs change too, many times a second while a reply streams.
    if (change.sourceChange) {
      this._update();
    }
  }

  private _update(): void {
    const prompt = isPrompt(this._model.sharedModel.getSource());
    if (prompt === this._isPrompt) {
      return;
    }
    this._isPrompt = prompt;
    this._cell.toggleClass(PROMPT_CLASS, prompt);
    this._model.mimeType = prompt ? PROMPT_MIME_TYPE : this._codeMimeType();
  }

  /** The notebook sets the type of all its code cells when the kernel tells its language. */
  private _onMimeTypeChanged(): void {
    if (this._isPrompt && this._model.mimeType !== PROMPT_MIME_TYPE) {
      void this._restoreMimeType(this._model.mimeType);
    }
  }

  /**
   * The editor takes whichever language is loaded last, so the one it was told to use
   * must have loaded before it is told to use ours.
   */
  private async _restoreMimeType(mimeType: string): Promise<void> {
    try {
      await this._languages.getLanguage(mimeType);
    } catch {
      // The editor itself tells of a language that does not load.
    }
    if (!this._isDisposed && this._isPrompt) {
      this._model.mimeType = PROMPT_MIME_TYPE;
    }
  }

  private readonly _cell: CodeCell;
  private readonly _model: ICellModel;
  private readonly _codeMimeType: () => string;
  private readonly _languages: IEditorLanguageRegistry;
  private _isPrompt = false;
  private _isDisposed = false;
}
