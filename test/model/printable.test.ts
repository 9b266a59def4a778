import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableJson, printableStrings } from '../../src/model/printable.ts';
import { anyText } from '../any-text.ts';

describe('printable text', () => {
  it.each([
    ['escape sequence', '\u001b[31mred', '\\u001b[31mred'],
    ['line break', 'a\nb', 'a\\u000ab'],
    ['C1 control', '\u009b31m', '\\u009b31m'],
    ['direction override', 'abc\u202edef', 'abc\\u202edef'],
    ['direction mark', 'a\u200fb', 'a\\u200fb'],
    ['isolate', 'a\u2066b\u2069', 'a\\u2066b\\u2069'],
    ['zero-width space and joiner', 'lod\u200bash\u200d', 'lod\\u200bash\\u200d'],
    ['byte order mark', '\ufefflodash', '\\ufefflodash'],
    ['soft hyphen', 'lo\u00addash', 'lo\\u00addash'],
    ['line separator', 'a\u2028b', 'a\\u2028b'],
    ['invisible letter', 'a\u3164b', 'a\\u3164b'],
    ['tag character', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['lone surrogate', 'a\ud800b', 'a\\ud800b'],
  ])('shows a %s', (_name, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('does not change text of any script', () => {
    const text = 'lodash 名前 δοκιμή тест café naïve 🦊 @scope/a_b.c-d';
    expect(printable(text)).toBe(text);
  });

  it('contains only visible characters, for any input', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(printable(text)).not.toMatch(
          /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u,
        );
      }),
    );
  });
});

describe('plain data and lines of JSON', () => {
  it('stay the same object when nothing has to be shown', () => {
    const data = { name: 'lodash', list: ['a', 1, null, { b: true }] };
    expect(printableStrings(data)).toBe(data);
  });

  it('show characters in members, their names and items', () => {
    expect(printableStrings({ 'a\u202e': ['\u200b', { b: '\n' }], c: 1 })).toEqual({
      'a\\u202e': ['\\u200b', { b: '\\u000a' }],
      c: 1,
    });
  });

  it('mean the same as before', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const line = printableJson(`${JSON.stringify({ text })}\n`);
        expect(JSON.parse(line)).toEqual({ text });
        expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      }),
    );
  });
});
