import { stripVTControlCharacters, styleText } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { columns, stringWidth as widthOf, wrapped } from '../../src/report/layout.ts';

describe('columns', () => {
  it('line up by the width of characters, not by their number', () => {
    expect(
      columns(
        [
          ['名前', 'a'],
          ['e\u0301', 'b'],
          ['name', 'c'],
        ],
        { width: 80 },
      ),
    ).toEqual(['名前  a', 'e\u0301     b', 'name  c']);
  });

  it('continue a long last cell below itself', () => {
    const text = 'one two three four five six seven eight';
    expect(columns([['key', text]], { width: 30 })).toEqual([
      'key  one two three four five',
      '     six seven eight',
    ]);
  });

  it('put the last cell below the row where too little is left for it', () => {
    const rows = [['  a-rather-long-name', 'medium', 'what there is to say of it']];
    expect(columns(rows, { width: 40 })).toEqual([
      '  a-rather-long-name  medium',
      '      what there is to say of it',
    ]);
  });

  it('give colours no width', () => {
    const red = styleText('red', 'ab', { validateStream: false });
    expect(
      columns(
        [
          [red, 'x'],
          ['abc', 'y'],
        ],
        { width: 80 },
      ).map(stripVTControlCharacters),
    ).toEqual(['ab   x', 'abc  y']);
  });

  it('break no word and lose none, at any width', () => {
    const word = fc.stringMatching(/^[a-z/@.-]{1,30}$/);
    const cell = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 20, max: 120 }), (given, width) => {
        const lines = columns(given, { width });
        const words = lines.join(' ').trim().split(/\s+/);
        expect(words).toEqual(given.flat().join(' ').trim().split(/\s+/));
      }),
    );
  });
});

describe('wrapped text', () => {
  it('keeps its indent, and only a single word may exceed the width', () => {
    const text = '    Check the connection or insights.url, or add --local to use the data';
    for (const line of wrapped(text, 40)) {
      expect(line).toMatch(/^ {4}\S/);
      expect(stringWidth(line)).toBeLessThanOrEqual(40);
    }
    expect(wrapped('pkg:npm/%40a-very-long-scope/a-very-long-name@1.0.0 is gone', 20)).toEqual([
      'pkg:npm/%40a-very-long-scope/a-very-long-name@1.0.0',
      'is gone',
    ]);
  });
});

it.each(['via a@1.0.0 › … (3 deep)', 'left 1.0.0 → 1.0.1', 'naïve', '包 → 1', '\u001b[31mred\u001b[39m', ''])(
  'a text is as wide as the library says: %j',
  (text) => {
    expect(widthOf(text)).toBe(stringWidth(text));
  },
);
