/** The cell magic that makes a code cell a prompt. */
export const PROMPT_MAGIC = '%%prompt';

/** The source of a prompt that asks nothing yet. */
export const EMPTY_PROMPT = `${PROMPT_MAGIC}\n`;

// The same as `split_cell` of dialog_ext/notebook/magic.py: blank lines and comment lines
// may stand above the magic, which ends with its word.
const ABOVE = /(?:[ \t]*(?:#[^\n]*)?\n)*/y;
const MAGIC = /[ \t]*%%prompt(?:[ \t]+([^\n]*))?(?:\r?\n|$)/y;

/** A replacement of `source.slice(start, end)` by `text`. */
export interface IEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface IMagicLine {
  readonly start: number;
  readonly end: number;
  /** What stands behind the magic on its line: options, and text. */
  readonly rest: string;
}

function findMagic(source: string): IMagicLine | null {
  ABOVE.lastIndex = 0;
  const start = ABOVE.exec(source)?.[0].length ?? 0;
  MAGIC.lastIndex = start;
  const found = MAGIC.exec(source);
  return (
    found && {
      start,
      end: start + found[0].length,
      rest: (found[1] ?? '').replace(/\r+$/, '')
    }
  );
}

/**
 * Tell whether a code cell asks the model.
 *
 * @param source - The cell's source.
 */
export function isPrompt(source: string): boolean {
  return findMagic(source) !== null;
}

/**
 * The edit that turns the source of any cell into a prompt.
 *
 * @param source - The cell's source.
 * @returns The edit, or null for a source that is a prompt already.
 */
export function toPrompt(source: string): IEdit | null {
  return isPrompt(source) ? null : { start: 0, end: 0, text: EMPTY_PROMPT };
}

/**
 * The edit that turns the source of a prompt into code.
 *
 * What was typed behind the magic on its line stays, so that no text is lost.
 *
 * @param source - The cell's source.
 * @returns The edit, or null for a source that is no prompt.
 */
export function toCode(source: string): IEdit | null {
  const magic = findMagic(source);
  if (!magic) {
    return null;
  }
  if (!magic.rest.trim()) {
    return { start: magic.start, end: magic.end, text: '' };
  }
  const end = source.indexOf(magic.rest, magic.start + PROMPT_MAGIC.length);
  return { start: magic.start, end, text: '' };
}

/**
 * Apply an edit to a text.
 *
 * @param source - The text.
 * @param edit - The edit; null leaves the text as it is.
 */
export function applyEdit(source: string, edit: IEdit | null): string {
  return edit
    ? source.slice(0, edit.start) + edit.text + source.slice(edit.end)
    : source;
}
