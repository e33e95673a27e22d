import { isCodeCellModel, type Cell, type ICellModel } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';
import type { ISharedNotebook } from '@jupyter/ydoc';
import { applyEdit, EMPTY_PROMPT, isPrompt, toCode, toPrompt } from './source';

/**
 * Insert an empty prompt below the active cell, and put the cursor where its text begins.
 *
 * @param notebook - The notebook.
 */
export async function insertPromptBelow(notebook: Notebook): Promise<void> {
  if (!notebook.model) {
    return;
  }
  const index = notebook.activeCell ? notebook.activeCellIndex + 1 : 0;
  notebook.model.sharedModel.insertCell(index, {
    cell_type: 'code',
    source: EMPTY_PROMPT,
    metadata: { trusted: true }
  });
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  const cell = notebook.activeCell;
  if (!cell) {
    return;
  }
  await notebook.scrollToItem(index, 'auto', 0).catch(() => {
    // Scrolling is a courtesy; a disposed notebook has nothing to scroll.
  });
  await editAtEnd(notebook, cell);
}

/**
 * Tell whether the active cell is a prompt.
 *
 * @param notebook - The notebook.
 */
export function isActivePrompt(notebook: Notebook): boolean {
  const model = notebook.activeCell?.model;
  return model !== undefined && isPromptModel(model);
}

/**
 * Turn the active cell and all selected ones into prompts; or into code, if the active
 * cell is a prompt. One undo takes it back.
 *
 * @param notebook - The notebook.
 */
export function togglePrompt(notebook: Notebook): void {
  const shared = notebook.model?.sharedModel;
  if (!shared) {
    return;
  }
  const edit = isActivePrompt(notebook) ? toCode : toPrompt;
  const mode = notebook.mode;
  const active = notebook.activeCellIndex;
  const chosen = notebook.widgets
    .map((cell, index) => ({ cell, index }))
    .filter(({ cell }) => notebook.isSelectedOrActive(cell) && isOurs(cell));
  shared.transact(() => {
    for (const { cell, index } of chosen) {
      const model = cell.model;
      if (isCodeCellModel(model)) {
        const change = edit(model.sharedModel.getSource());
        if (change) {
          model.sharedModel.updateSource(change.start, change.end, change.text);
        }
      } else if (edit === toPrompt) {
        replaceByPrompt(shared, index, model);
      }
    }
  });
  // A cell whose type changes is a new one, which is not active yet.
  notebook.activeCellIndex = active;
  notebook.mode = mode;
  // Nor has it the focus that the old one had.
  notebook.activate();
}

function isPromptModel(model: ICellModel): boolean {
  return isCodeCellModel(model) && isPrompt(model.sharedModel.getSource());
}

/** Whether a cell may be changed: not one that is read-only, or waits for the user's input. */
function isOurs(cell: Cell): boolean {
  const waits =
    cell.model.type === 'code' && cell.hasClass('jp-mod-pendingInput');
  return !waits && cell.model.getMetadata('editable') !== false;
}

/** A cell keeps its type for life, so another takes its place, with its id and metadata. */
function replaceByPrompt(
  shared: ISharedNotebook,
  index: number,
  model: ICellModel
): void {
  const source = model.sharedModel.getSource();
  const metadata = { ...model.sharedModel.getMetadata(), trusted: true };
  const id = model.id;
  shared.deleteCell(index);
  shared.insertCell(index, {
    id,
    cell_type: 'code',
    source: applyEdit(source, toPrompt(source)),
    metadata
  });
}

async function editAtEnd(notebook: Notebook, cell: Cell): Promise<void> {
  await cell.ready;
  if (cell.isDisposed || notebook.activeCell !== cell) {
    return;
  }
  notebook.mode = 'edit';
  notebook.activate();
  const editor = cell.editor;
  const end = editor?.getPositionAt(cell.model.sharedModel.getSource().length);
  if (editor && end) {
    editor.setCursorPosition(end);
  }
}
