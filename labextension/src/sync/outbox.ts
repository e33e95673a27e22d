import * as Y from 'yjs';

/**
 * Milliseconds for which updates are gathered. Nobody waits for them: what runs sends them at
 * once, and who asks for them gets them. So typing is not slowed down by a message a key.
 */
const SHORTEST = 200;

/** The same for large ones, such as outputs, which the kernel knows before the page does. */
const LONGEST = 1000;

/** Bytes that add one millisecond to the time of gathering. */
const BYTES_PER_MS = 200;

/** From this many bytes on, what has been overwritten since is worth leaving out. */
const LARGE = 32_000;

/**
 * Gathers a document's updates, and sends them as one.
 *
 * An output that is written again and again, as a reply that streams is, goes out once a
 * second at most, and without the texts that were replaced.
 */
export class Outbox {
  /**
   * @param doc - The document.
   * @param send - Sends one update, which may be empty.
   */
  constructor(doc: Y.Doc, send: (update: Uint8Array) => void) {
    this._doc = doc;
    this._send = send;
  }

  /** Whether there is something to send. */
  get isEmpty(): boolean {
    return this._updates.length === 0 && !this._isDue;
  }

  /** Take an update to be sent soon. */
  add(update: Uint8Array): void {
    this._updates.push(update);
    this._bytes += update.length;
    this._schedule();
  }

  /** See to it that something is sent soon, be it empty. */
  touch(): void {
    this._isDue = true;
    this._schedule();
  }

  /** Send now what there is to send. */
  flush(): void {
    if (!this.isEmpty) {
      const update = this._merged();
      this.clear();
      this._send(update);
    }
  }

  /** Forget what there is to send. */
  clear(): void {
    clearTimeout(this._timer);
    this._timer = undefined;
    this._updates = [];
    this._bytes = 0;
    this._isDue = false;
    this._sent = Y.encodeStateVector(this._doc);
  }

  private _schedule(): void {
    if (this._timer === undefined) {
      this._begun = Date.now();
      this._timer = setTimeout(this._onTime, SHORTEST);
    }
  }

  private readonly _onTime = (): void => {
    const wanted = Math.min(LONGEST, SHORTEST + this._bytes / BYTES_PER_MS);
    const rest = wanted - (Date.now() - this._begun);
    if (rest > 1) {
      this._timer = setTimeout(this._onTime, rest);
    } else {
      this.flush();
    }
  };

  private _merged(): Uint8Array {
    if (this._bytes > LARGE) {
      return Y.encodeStateAsUpdate(this._doc, this._sent);
    }
    const [first, ...others] = this._updates;
    return first && others.length === 0
      ? first
      : Y.mergeUpdates([first ?? NOTHING, ...others]);
  }

  private readonly _doc: Y.Doc;
  private readonly _send: (update: Uint8Array) => void;
  private _updates: Uint8Array[] = [];
  private _bytes = 0;
  private _isDue = false;
  private _begun = 0;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _sent: Uint8Array = NOTHING;
}

/** The update that changes nothing, and the state vector of nothing but its second byte. */
export const NOTHING = new Uint8Array([0, 0]);
