import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { addCommands } from '../prompts/commands';
import { NotebookMarker } from '../prompts/notebookMarker';

/** Makes prompt cells recognisable, and adds the commands that make them. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'dialog_ext:prompt-cells',
  description: 'Marks prompt cells, and adds the commands that make them.',
  autoStart: true,
  requires: [INotebookTracker, IEditorLanguageRegistry],
  optional: [ITranslator, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    languages: IEditorLanguageRegistry,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load('dialog_ext');
    addCommands(app.commands, tracker, trans, palette);
    const mark = (panel: NotebookPanel): void => {
      const marker = new NotebookMarker(panel.content, languages);
      panel.disposed.connect(() => {
        marker.dispose();
      });
    };
    tracker.forEach(mark);
    tracker.widgetAdded.connect((_, panel) => {
      mark(panel);
    });
  }
};

export default plugin;
