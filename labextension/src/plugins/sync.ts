import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import {
  INotebookTracker,
  type INotebookModel,
  type NotebookPanel
} from '@jupyterlab/notebook';
import { NotebookSync, sharedOf } from '../sync/notebookSync';
import { MESSAGE } from '../sync/protocol';

/** Keeps the kernel's dialog in step with the open notebook. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'dialog_ext:sync',
  description: 'Keeps the dialog in the kernel in step with the open notebook.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, tracker: INotebookTracker) => {
    leaveStatusAlone();
    const syncs = new WeakMap<
      DocumentRegistry.IContext<INotebookModel>,
      NotebookSync | null
    >();
    const follow = async (panel: NotebookPanel): Promise<void> => {
      const { context } = panel;
      // Two views of one notebook have one context.
      if (!syncs.has(context)) {
        syncs.set(context, null);
        await context.ready;
        const shared = sharedOf(context.model.sharedModel);
        if (shared && !context.isDisposed) {
          syncs.set(context, new NotebookSync(context, shared));
        }
      }
    };
    tracker.forEach(panel => void follow(panel));
    tracker.widgetAdded.connect((_, panel) => void follow(panel));
  }
};

/** The kernel is not shown as busy, nor as idle, because of the messages on what is typed. */
function leaveStatusAlone(): void {
  const option = 'untracked_message_types';
  const types: unknown = JSON.parse(PageConfig.getOption(option) || '[]');
  const others: unknown[] = Array.isArray(types) ? types : [];
  PageConfig.setOption(option, JSON.stringify([...others, MESSAGE]));
}

export default plugin;
