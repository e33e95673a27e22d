/** Type of the messages between page and kernel, both ways; see dialog_ext/kernel/channel.py. */
export const MESSAGE = 'dialog_ext_sync';

/** Target name of the comm by which a kernel says that it has the extension loaded. */
export const BEACON = 'dialog_ext:beacon';

/** What a page says; `nb` is the id of its document. */
export type ToKernel =
  /** The page is there; its state vector comes along. */
  | { readonly op: 'hello'; readonly nb: string; readonly path: string }
  | IUpdate
  /** The answer to `pull`: all updates up to `seq` have been sent. */
  | {
      readonly op: 'pong';
      readonly nb: string;
      readonly nonce: string;
      readonly seq: number;
    }
  | { readonly op: 'renamed'; readonly nb: string; readonly path: string }
  /** The page shows the document no longer. */
  | { readonly op: 'bye'; readonly nb: string };

/** A change of the page's document; the bytes come along. */
export interface IUpdate {
  readonly op: 'update';
  readonly nb: string;
  /** Its number, which execute requests tell. */
  readonly seq: number;
  /** Execute requests whose outputs are all in the document by now. */
  readonly idle?: readonly string[];
  /** Whether more bytes of the same update follow in another message. */
  readonly more?: boolean;
}

/** What a kernel says. */
export type FromKernel =
  /** The answer to `hello`; the kernel's state vector and what the page lacks come along. */
  | { readonly op: 'welcome'; readonly nb: string }
  /** A change made in Python; the bytes come along. */
  | { readonly op: 'update'; readonly nbs: readonly string[] }
  /** The kernel waits for what has been typed until now. */
  | { readonly op: 'pull'; readonly nb: string; readonly nonce: string }
  /** The kernel does not know this document yet. */
  | { readonly op: 'call'; readonly nb: string };

/**
 * Read what a kernel says.
 *
 * @param content - A message's content.
 * @returns What it says, or null for what this version does not understand.
 */
export function readKernel(content: unknown): FromKernel | null {
  if (typeof content !== 'object' || content === null) {
    return null;
  }
  const { op, nb, nbs, nonce } = content as Record<string, unknown>;
  if (op === 'update') {
    return Array.isArray(nbs) && nbs.every(id => typeof id === 'string')
      ? { op, nbs }
      : null;
  }
  if (typeof nb !== 'string') {
    return null;
  }
  switch (op) {
    case 'welcome':
    case 'call':
      return { op, nb };
    case 'pull':
      return typeof nonce === 'string' ? { op, nb, nonce } : null;
    default:
      return null;
  }
}
