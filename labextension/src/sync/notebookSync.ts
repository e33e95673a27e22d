import type { ISessionContext } from '@jupyterlab/apputils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { ISharedNotebook } from '@jupyter/ydoc';
import { YBaseCell, YNotebook } from '@jupyter/ydoc';
import { UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import type * as Y from 'yjs';
import { DocumentLink, type IDocument } from './documentLink';
import { KernelLink } from './kernelLink';

/** Keeps the kernel's copy of one open notebook in step with it, whichever kernel it has. */
export class NotebookSync implements IDisposable {
  /**
   * @param context - The open notebook, whose model must be ready.
   * @param shared - Its shared document.
   */
  constructor(
    context: DocumentRegistry.IContext<INotebookModel>,
    shared: YNotebook
  ) {
    this._context = context;
    const document: IDocument = {
      ydoc: shared.ydoc,
      undoManagers: () => undoManagers(shared),
      path: () => context.localPath
    };
    this._link = new DocumentLink(
      UUID.uuid4(),
      document,
      (content, buffers = []) => {
        const kernel = this._session.session?.kernel;
        if (kernel) {
          KernelLink.send(kernel, content, buffers);
        }
      }
    );
    this._session.kernelChanged.connect(this._onKernelChanged, this);
    context.pathChanged.connect(this._onPathChanged, this);
    context.disposed.connect(this.dispose, this);
    this._onKernelChanged();
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
    this._link.dispose();
    this._kernelLink?.dispose();
  }

  private get _session(): ISessionContext {
    return this._context.sessionContext;
  }

  private _onKernelChanged(): void {
    this._kernelLink?.dispose();
    const kernel = this._session.session?.kernel;
    this._kernelLink = kernel ? new KernelLink(kernel, this._link) : null;
  }

  private _onPathChanged(): void {
    this._link.renamed();
  }

  private readonly _context: DocumentRegistry.IContext<INotebookModel>;
  private readonly _link: DocumentLink;
  private _kernelLink: KernelLink | null = null;
  private _isDisposed = false;
}

/** The Yjs document of a notebook's model; null for a model that is made otherwise. */
export function sharedOf(shared: ISharedNotebook): YNotebook | null {
  return shared instanceof YNotebook ? shared : null;
}

function* undoManagers(shared: YNotebook): Iterable<Y.UndoManager> {
  yield shared.undoManager;
  if (shared.disableDocumentWideUndoRedo) {
    for (const cell of shared.cells) {
      const manager = cell instanceof YBaseCell ? cell.undoManager : null;
      if (manager) {
        yield manager;
      }
    }
  }
}
