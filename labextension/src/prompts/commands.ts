import type { ICommandPalette } from '@jupyterlab/apputils';
import type { INotebookTracker, Notebook } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { DisposableSet, type IDisposable } from '@lumino/disposable';
import { insertPromptBelow, togglePrompt } from './actions';

/** The ids of the commands on prompt cells. */
export const CommandIDs = {
  insert: 'dialog-ext:insert-prompt',
  toggle: 'dialog-ext:toggle-prompt'
} as const;

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

/**
 * Add the commands on prompt cells.
 *
 * @param commands - The application's commands.
 * @param tracker - The open notebooks.
 * @param trans - The words of the user's language.
 * @param palette - The command palette, where there is one.
 * @returns What takes the commands away.
 */
export function addCommands(
  commands: CommandRegistry,
  tracker: INotebookTracker,
  trans: TranslationBundle,
  palette: ICommandPalette | null
): IDisposable {
  const added = new DisposableSet();
  const notebook = (): Notebook | null =>
    tracker.currentWidget?.content ?? null;
  const isEnabled = (): boolean => Boolean(notebook()?.model);
  added.add(
    commands.addCommand(CommandIDs.insert, {
      label: trans.__('Insert Prompt Below'),
      caption: trans.__(
        'Insert a cell that asks the model, below the active cell'
      ),
      describedBy: NO_ARGUMENTS,
      isEnabled,
      execute: async () => {
        const current = notebook();
        if (current) {
          await insertPromptBelow(current);
        }
      }
    })
  );
  added.add(
    commands.addCommand(CommandIDs.toggle, {
      label: trans.__('Turn Cell into Prompt / Code'),
      caption: trans.__(
        'Make prompts of the selected cells, or code of prompts'
      ),
      describedBy: NO_ARGUMENTS,
      isEnabled,
      execute: () => {
        const current = notebook();
        if (current) {
          togglePrompt(current);
        }
      }
    })
  );
  if (palette) {
    const category = trans.__('Notebook Cell Operations');
    for (const command of Object.values(CommandIDs)) {
      added.add(palette.addItem({ command, category }));
    }
  }
  return added;
}
