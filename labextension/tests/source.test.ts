import { describe, expect, it } from 'vitest';
import { applyEdit, isPrompt, toCode, toPrompt } from '../src/prompts/source';

describe('isPrompt', () => {
  it.each([
    '%%prompt',
    '%%prompt\n',
    '%%prompt\r\nWhy?',
    '%%prompt\nWhy?',
    '%%prompt -m fake\nWhy?',
    '%%prompt\tWhy?',
    '%%prompt Why?',
    '  %%prompt\nWhy?',
    '\n\n \t\n%%prompt\nWhy?',
    '# why?\n%%prompt\nWhy?',
    '  # a\n\n# b\n%%prompt'
  ])('takes %j', source => {
    expect(isPrompt(source)).toBe(true);
  });

  it.each([
    '',
    '\n',
    '# %%prompt',
    '%%prompts\nWhy?',
    '%%prompt-x',
    '%%promptly',
    '%prompt Why?',
    '%%%prompt',
    '%% prompt',
    '%%Prompt',
    'x = 1\n%%prompt\nWhy?',
    '\f%%prompt',
    '\u00a0%%prompt',
    '"""\n%%prompt\n"""',
    '%%prompt\rWhy?'
  ])('leaves %j', source => {
    expect(isPrompt(source)).toBe(false);
  });

  it('looks at a long source only where the magic can stand', () => {
    const started = performance.now();
    expect(isPrompt(`${'# \n'.repeat(50_000)}x`)).toBe(false);
    expect(isPrompt(' '.repeat(200_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe('toPrompt', () => {
  it.each(['', 'x = 1', '# note\nx', '\n', '%%time\nx', '%prompt Why?'])(
    'puts the magic above %j',
    source => {
      const made = applyEdit(source, toPrompt(source));
      expect(made).toBe(`%%prompt\n${source}`);
      expect(isPrompt(made)).toBe(true);
      expect(applyEdit(made, toCode(made))).toBe(source);
    }
  );

  it('does nothing to a prompt', () => {
    expect(toPrompt('# a\n%%prompt x')).toBeNull();
  });
});

describe('toCode', () => {
  it.each([
    ['%%prompt', ''],
    ['%%prompt\nWhy?', 'Why?'],
    ['%%prompt  \nWhy?', 'Why?'],
    ['%%prompt\r\nWhy?', 'Why?'],
    ['# a\n\n  %%prompt\nWhy?\n', '# a\n\nWhy?\n'],
    ['%%prompt -m fake What\nis it?', '-m fake What\nis it?'],
    ['  %%prompt \t t  \r\nx', 't  \r\nx'],
    ['%%prompt prompt', 'prompt'],
    ['%%prompt\n%%prompt\nx', '%%prompt\nx']
  ])('makes of %j %j', (source, code) => {
    expect(applyEdit(source, toCode(source))).toBe(code);
  });

  it('does nothing to code', () => {
    expect(toCode('x = 1')).toBeNull();
  });
});
