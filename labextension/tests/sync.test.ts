import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as Y from 'yjs';
import { DocumentLink, ORIGIN } from '../src/sync/documentLink';
import {
  readKernel,
  type FromKernel,
  type IUpdate,
  type ToKernel
} from '../src/sync/protocol';

interface ISent {
  readonly content: ToKernel;
  readonly buffers: readonly Uint8Array[];
}

/** A page, and a kernel that answers as dialog_ext/kernel/pages.py does. */
class Pair {
  constructor() {
    this.manager = new Y.UndoManager([this.text], {
      trackedOrigins: new Set([this])
    });
    this.link = new DocumentLink(
      'nb',
      {
        ydoc: this.page,
        undoManagers: () => [this.manager],
        path: () => this.path
      },
      (content, buffers = []) => {
        this.sent.push({ content, buffers });
        this.parts.push(...buffers);
        if (content.op === 'hello') {
          this.parts = [];
        } else if (content.op === 'update' && !content.more) {
          const whole = this.parts.splice(0);
          if (whole.length > 0) {
            Y.applyUpdate(this.kernel, joined(whole));
          }
        }
      }
    );
  }

  get text(): Y.Text {
    return this.page.getText('source');
  }

  get inKernel(): string {
    return this.kernel.getText('source').toJSON();
  }

  get updates(): IUpdate[] {
    return this.sent
      .map(({ content }) => content)
      .filter(content => content.op === 'update');
  }

  bytes(from = 0): number {
    return this.sent
      .slice(from)
      .flatMap(({ buffers }) => buffers)
      .reduce((sum, { length }) => sum + length, 0);
  }

  /** The kernel's answer to a hello. */
  welcome(): void {
    const hello = this.sent
      .filter(({ content }) => content.op === 'hello')
      .pop();
    const state = hello?.buffers[0];
    this.link.receive({ op: 'welcome', nb: 'nb' }, [
      Y.encodeStateVector(this.kernel),
      Y.encodeStateAsUpdate(this.kernel, state)
    ]);
  }

  meet(): void {
    this.link.meet();
    this.welcome();
  }

  /** An edit in Python. */
  python(edit: (text: Y.Text) => void): void {
    const before = Y.encodeStateVector(this.kernel);
    edit(this.kernel.getText('source'));
    const update = Y.encodeStateAsUpdate(this.kernel, before);
    this.link.receive({ op: 'update', nbs: ['nb'] }, [update]);
  }

  /** Typing, which its undo manager follows. */
  type(index: number, text: string): void {
    this.page.transact(() => {
      this.text.insert(index, text);
    }, this);
  }

  readonly page = new Y.Doc();
  readonly kernel = new Y.Doc();
  readonly manager: Y.UndoManager;
  readonly link: DocumentLink;
  readonly sent: ISent[] = [];
  parts: Uint8Array[] = [];
  path = 'a.ipynb';
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap(part => [...part]));
}

let pair: Pair;

beforeEach(() => {
  vi.useFakeTimers();
  pair = new Pair();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('meeting', () => {
  it('says nothing before a kernel is there', () => {
    pair.type(0, 'x');
    vi.runAllTimers();
    expect(pair.sent).toEqual([]);
    expect(pair.link.flush()).toBe(0);
  });

  it('brings the document to the kernel', () => {
    pair.type(0, 'typed');
    pair.meet();
    expect(pair.inKernel).toBe('typed');
    expect(pair.updates.map(({ seq }) => seq)).toEqual([1]);
  });

  it('brings edits that were made before the kernel answered', () => {
    pair.link.meet();
    pair.type(0, 'between');
    pair.link.flush();
    pair.welcome();
    expect(pair.inKernel).toBe('between');
  });

  it('tells a kernel that lacks nothing that it does not', () => {
    pair.meet();
    expect(pair.updates).toHaveLength(1);
    expect(pair.bytes()).toBeLessThan(8);
  });

  it('does not send again what the kernel has', () => {
    pair.type(0, 'x'.repeat(10_000));
    pair.meet();
    const before = pair.sent.length;
    pair.link.part();
    pair.type(3, 'lost');
    pair.meet();
    expect(pair.inKernel).toBe(pair.text.toJSON());
    expect(pair.bytes(before)).toBeLessThan(100);
  });

  it('takes what was done in Python meanwhile', () => {
    pair.meet();
    pair.link.part();
    pair.kernel.getText('source').insert(0, 'python');
    pair.meet();
    expect(pair.text.toJSON()).toBe('python');
  });

  it('begins again when the kernel does not know the document', () => {
    pair.type(0, 'x');
    pair.link.receive({ op: 'call', nb: 'nb' }, []);
    pair.welcome();
    expect(pair.inKernel).toBe('x');
  });

  it('greets once, though the kernel calls meanwhile', () => {
    pair.type(0, 'x');
    pair.link.meet();
    pair.link.receive({ op: 'call', nb: 'nb' }, []);
    pair.welcome();
    expect(pair.sent.map(({ content }) => content.op)).toEqual([
      'hello',
      'update'
    ]);
  });

  it('leaves other documents alone', () => {
    pair.link.receive({ op: 'call', nb: 'other' }, []);
    pair.link.receive({ op: 'welcome', nb: 'other' }, []);
    expect(pair.sent).toEqual([]);
  });

  it('sends a large document in parts that the server takes', () => {
    const large = 'x'.repeat(9 * 1024 * 1024);
    pair.type(0, large);
    pair.meet();
    const sizes = pair.sent.flatMap(({ buffers }) =>
      buffers.map(b => b.length)
    );
    expect(Math.max(...sizes)).toBeLessThan(5 * 1024 * 1024);
    expect(pair.updates.map(({ more }) => more ?? false)).toEqual([
      true,
      true,
      false
    ]);
    expect(pair.inKernel.length).toBe(large.length);
  });
});

describe('editing', () => {
  beforeEach(() => {
    pair.type(0, 'x'.repeat(1000));
    pair.meet();
    pair.sent.length = 0;
  });

  it('sends what is typed soon, in one message', () => {
    pair.type(0, 'a');
    pair.type(1, 'b');
    vi.advanceTimersByTime(150);
    expect(pair.sent).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(pair.updates.map(({ seq }) => seq)).toEqual([2]);
    expect(pair.inKernel.slice(0, 3)).toBe('abx');
    expect(pair.bytes()).toBeLessThan(60);
  });

  it('sends what is typed at once when a cell is run', () => {
    pair.type(0, 'a');
    expect(pair.link.flush()).toBe(2);
    expect(pair.inKernel[0]).toBe('a');
    expect(pair.link.flush()).toBe(2);
    vi.runAllTimers();
    expect(pair.updates).toHaveLength(1);
  });

  it('answers a pull after what was typed', () => {
    pair.type(0, 'a');
    pair.link.receive({ op: 'pull', nb: 'nb', nonce: 'n' }, []);
    expect(pair.sent.map(({ content }) => content.op)).toEqual([
      'update',
      'pong'
    ]);
    expect(pair.sent.at(-1)?.content).toMatchObject({ nonce: 'n', seq: 2 });
  });

  it('tells which cell has all its outputs, with the outputs', () => {
    pair.type(0, 'a');
    pair.link.ran('request');
    vi.runAllTimers();
    expect(pair.updates).toEqual([
      { op: 'update', nb: 'nb', seq: 2, idle: ['request'] }
    ]);
  });

  it('tells it without any change, too', () => {
    pair.link.ran('one');
    pair.link.ran('two');
    vi.runAllTimers();
    expect(pair.updates[0]).toMatchObject({ idle: ['one', 'two'] });
    expect(pair.bytes()).toBe(0);
  });

  it('sends a text that is replaced again and again seldom, and once', () => {
    const outputs = pair.page.getMap('outputs');
    for (let length = 1000; length <= 100_000; length += 1000) {
      outputs.set('text', 'y'.repeat(length));
      vi.advanceTimersByTime(50);
    }
    vi.runAllTimers();
    expect(pair.kernel.getMap('outputs').get('text')).toHaveLength(100_000);
    expect(pair.updates.length).toBeLessThan(15);
    expect(pair.bytes()).toBeLessThan(800_000);
  });

  it('says the new path', () => {
    pair.path = 'b.ipynb';
    pair.link.renamed();
    expect(pair.sent[0]?.content).toEqual({
      op: 'renamed',
      nb: 'nb',
      path: 'b.ipynb'
    });
  });

  it('says goodbye, and then nothing', () => {
    pair.link.dispose();
    pair.type(0, 'a');
    vi.runAllTimers();
    expect(pair.sent.map(({ content }) => content.op)).toEqual(['bye']);
  });
});

describe('edits in Python', () => {
  beforeEach(() => {
    pair.type(0, 'one');
    pair.meet();
    pair.sent.length = 0;
  });

  it('appear, and are not sent back', () => {
    pair.python(text => {
      text.insert(3, ' two');
    });
    vi.runAllTimers();
    expect(pair.text.toJSON()).toBe('one two');
    expect(pair.sent).toEqual([]);
  });

  it('are one step to undo each', () => {
    pair.type(3, '!');
    pair.link.flush();
    pair.python(text => {
      text.insert(0, 'six');
      text.delete(3, 3);
    });
    pair.python(text => {
      text.insert(4, '?');
    });
    expect(pair.text.toJSON()).toBe('six!?');
    pair.manager.undo();
    expect(pair.text.toJSON()).toBe('six!');
    pair.manager.undo();
    expect(pair.text.toJSON()).toBe('one!');
    vi.runAllTimers();
    expect(pair.inKernel).toBe('one!');
    pair.manager.redo();
    expect(pair.text.toJSON()).toBe('six!');
  });

  it('leave nothing behind in the undo managers', () => {
    pair.python(text => {
      text.insert(0, 'x');
    });
    expect(pair.manager.trackedOrigins.has(ORIGIN)).toBe(true);
    pair.link.dispose();
    expect(pair.manager.trackedOrigins.has(ORIGIN)).toBe(false);
  });

  it('change nothing where they are empty', () => {
    let count = 0;
    pair.page.on('afterTransaction', () => {
      count += 1;
    });
    pair.link.receive({ op: 'update', nbs: ['nb'] }, [new Uint8Array([0, 0])]);
    expect(count).toBe(0);
  });
});

describe('readKernel', () => {
  it.each<FromKernel>([
    { op: 'welcome', nb: 'a' },
    { op: 'call', nb: 'a' },
    { op: 'pull', nb: 'a', nonce: 'n' },
    { op: 'update', nbs: ['a', 'b'] }
  ])('understands %j', content => {
    expect(readKernel({ ...content, more: 1 })).toEqual(content);
  });

  it.each([
    null,
    7,
    {},
    { op: 'pull', nb: 'a' },
    { op: 'welcome' },
    { op: 'update', nbs: 'a' },
    { op: 'update', nbs: [1] },
    { op: 'later', nb: 'a' }
  ])('ignores %j', content => {
    expect(readKernel(content)).toBeNull();
  });
});
