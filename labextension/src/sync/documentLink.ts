import * as Y from 'yjs';
import { NOTHING, Outbox } from './outbox';
import type { FromKernel, ToKernel } from './protocol';

/** Sends a message to the kernel. */
export type Send = (content: ToKernel, buffers?: readonly Uint8Array[]) => void;

/** A page's document, as far as the link needs it. */
export interface IDocument {
  /** The Yjs document. */
  readonly ydoc: Y.Doc;
  /** What undoes its edits: the notebook's, and those of single cells. */
  readonly undoManagers: () => Iterable<Y.UndoManager>;
  /** Where the notebook is, as the server has it. */
  readonly path: () => string;
}

/** Origin of the transactions that bring edits made in Python. */
export const ORIGIN = Object.freeze({ name: 'dialog_ext' });

/**
 * Bytes of one message at most: the server closes a connection that gets one of 10 MiB
 * (Tornado's default for WebSockets).
 */
const MOST = 4 * 1024 * 1024;

/**
 * Keeps one page's document and its copy in the kernel the same document.
 *
 * They meet by telling each other how far they are, whatever happened before; from then on
 * each sends its edits.
 */
export class DocumentLink {
  /**
   * @param nb - Id of the document.
   * @param document - The document.
   * @param send - Sends a message to the kernel.
   */
  constructor(nb: string, document: IDocument, send: Send) {
    this.nb = nb;
    this._document = document;
    this._send = send;
    this._outbox = new Outbox(document.ydoc, update => {
      this._sendUpdate(update);
    });
    document.ydoc.on('update', this._onUpdate);
  }

  /** Id of the document. */
  readonly nb: string;

  /** Whether a kernel has the document, or is about to. */
  get isLinked(): boolean {
    return this._state !== 'apart';
  }

  dispose(): void {
    if (this.isLinked) {
      this._send({ op: 'bye', nb: this.nb });
    }
    this.part();
    this._document.ydoc.off('update', this._onUpdate);
    for (const manager of this._document.undoManagers()) {
      manager.removeTrackedOrigin(ORIGIN);
    }
  }

  /** Ask the kernel how far it is, which begins or mends the link. */
  meet(): void {
    this._state = 'meeting';
    this._outbox.clear();
    this._send({ op: 'hello', nb: this.nb, path: this._document.path() }, [
      Y.encodeStateVector(this._document.ydoc)
    ]);
  }

  /** Take the kernel as gone. */
  part(): void {
    this._state = 'apart';
    this._outbox.clear();
  }

  /** Tell that the notebook has another path. */
  renamed(): void {
    if (this.isLinked) {
      this._send({
        op: 'renamed',
        nb: this.nb,
        path: this._document.path()
      });
    }
  }

  /**
   * Send all edits made until now.
   *
   * @returns The number of the last update that was sent.
   */
  flush(): number {
    this._outbox.flush();
    return this._seq;
  }

  /**
   * Tell that all outputs of a cell are in the document.
   *
   * @param request - Id of the execute request.
   */
  ran(request: string): void {
    this._idle.push(request);
    if (this._state === 'together') {
      this._outbox.touch();
    }
  }

  /**
   * Take what the kernel says.
   *
   * @param message - What it says.
   * @param buffers - The bytes that came along.
   */
  receive(message: FromKernel, buffers: readonly Uint8Array[]): void {
    if (message.op === 'update') {
      if (message.nbs.includes(this.nb) && this._state === 'together') {
        buffers.forEach(this._apply);
      }
    } else if (message.nb === this.nb) {
      switch (message.op) {
        case 'welcome':
          this._onWelcome(buffers);
          break;
        case 'pull':
          this._onPull(message.nonce);
          break;
        case 'call':
          // A greeting that is on its way need not be sent again, nor all that follows it.
          if (this._state !== 'meeting') {
            this.meet();
          }
      }
    }
  }

  private _onWelcome(buffers: readonly Uint8Array[]): void {
    const [state = NOTHING.subarray(1), ...updates] = buffers;
    updates.forEach(this._apply);
    this._state = 'together';
    this._outbox.clear();
    // Also where the kernel lacks nothing, so that it knows that it does.
    this._sendUpdate(Y.encodeStateAsUpdate(this._document.ydoc, state));
  }

  private _onPull(nonce: string): void {
    if (this._state === 'together') {
      const seq = this.flush();
      this._send({ op: 'pong', nb: this.nb, nonce, seq });
    } else if (this._state === 'apart') {
      this.meet();
    }
  }

  private readonly _onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (this._state === 'together' && origin !== ORIGIN) {
      this._outbox.add(update);
    }
  };

  /** Make the edits of one update, which is one step to undo. */
  private readonly _apply = (update: Uint8Array): void => {
    if (update.length <= NOTHING.length) {
      return;
    }
    const { ydoc, undoManagers } = this._document;
    for (const manager of undoManagers()) {
      manager.addTrackedOrigin(ORIGIN);
      manager.stopCapturing();
    }
    Y.applyUpdate(ydoc, update, ORIGIN);
    for (const manager of undoManagers()) {
      manager.stopCapturing();
    }
  };

  private _sendUpdate(update: Uint8Array): void {
    const idle = this._idle;
    this._idle = [];
    const about = { op: 'update', nb: this.nb } as const;
    let start = 0;
    for (; update.length - start > MOST; start += MOST) {
      const part = update.subarray(start, start + MOST);
      this._send({ ...about, seq: this._seq, more: true }, [part]);
    }
    this._seq += 1;
    const last = { ...about, seq: this._seq };
    const bytes =
      update.length > NOTHING.length ? [update.subarray(start)] : [];
    this._send(idle.length === 0 ? last : { ...last, idle }, bytes);
  }

  private readonly _document: IDocument;
  private readonly _send: Send;
  private readonly _outbox: Outbox;
  private _state: 'apart' | 'meeting' | 'together' = 'apart';
  private _seq = 0;
  private _idle: string[] = [];
}
