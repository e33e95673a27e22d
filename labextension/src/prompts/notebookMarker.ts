import { CodeCell, type ICellModel } from '@jupyterlab/cells';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { CellList, Notebook } from '@jupyterlab/notebook';
import type { IObservableList } from '@jupyterlab/observables';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { CellMarker } from './cellMarker';

/** Marks the prompt cells of one notebook, those there are and those to come. */
export class NotebookMarker implements IDisposable {
  /**
   * @param notebook - The notebook.
   * @param languages - The languages that editors highlight.
   */
  constructor(notebook: Notebook, languages: IEditorLanguageRegistry) {
    this._notebook = notebook;
    this._languages = languages;
    notebook.modelChanged.connect(this._onModelChanged, this);
    this._onModelChanged();
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
    this._markers.forEach(marker => {
      marker.dispose();
    });
    this._markers.clear();
  }

  private _onModelChanged(): void {
    this._cells?.changed.disconnect(this._onCellsChanged, this);
    // The notebook connects first, so our slot finds the widgets of new cells.
    this._cells = this._notebook.model?.cells ?? null;
    this._cells?.changed.connect(this._onCellsChanged, this);
    this._mark(0, this._notebook.widgets.length);
  }

  private _onCellsChanged(
    _: CellList,
    change: IObservableList.IChangedArgs<ICellModel>
  ): void {
    if (change.type === 'add') {
      this._mark(change.newIndex, change.newIndex + change.newValues.length);
    }
  }

  private _mark(start: number, end: number): void {
    for (const cell of this._notebook.widgets.slice(start, end)) {
      if (cell instanceof CodeCell && !this._markers.has(cell)) {
        const marker = new CellMarker(
          cell,
          () => this._notebook.codeMimetype,
          this._languages
        );
        this._markers.set(cell, marker);
        cell.disposed.connect(this._onCellDisposed, this);
      }
    }
  }

  private _onCellDisposed(cell: CodeCell): void {
    this._markers.get(cell)?.dispose();
    this._markers.delete(cell);
  }

  private readonly _notebook: Notebook;
  private readonly _languages: IEditorLanguageRegistry;
  private readonly _markers = new Map<CodeCell, CellMarker>();
  private _cells: CellList | null = null;
  private _isDisposed = false;
}
