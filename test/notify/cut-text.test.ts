import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText } from '../../src/notify/cut-text.ts';

const entity = (codePoint: string) => (codePoint === '&' ? '&amp;' : codePoint);

describe('cutText', () => {
  it.each([
    ['fits', 4, 'fits'],
    ['does not', 5, 'does…'],
    ['😀😀😀', 6, '😀😀😀'],
    ['😀😀😀', 5, '😀😀…'],
    ['😀😀😀', 4, '😀…'],
    ['', 3, ''],
  ])('%j within %i: %j', (text, limit, expected) => expect(cutText(text, limit)).toBe(expected));

  it('never cuts through what the receiver’s format makes of a code point', () => {
    expect(cutText('a&&&', 12, '…', entity)).toBe('a&amp;&amp;…');
    expect(cutText('a&&', 11, '…', entity)).toBe('a&amp;&amp;');
  });

  it('is within the limit, a whole beginning of the text, and leaves what fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
        const cut = cutText(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        if (text.length <= limit) expect(cut).toBe(text);
        else expect([...text].join('').startsWith(cut.slice(0, -1))).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});
