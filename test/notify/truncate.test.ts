import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateText } from '../../src/notify/alert/alert.ts';

const entity = (codePoint: string) => (codePoint === '&' ? '&amp;' : codePoint);

describe('truncateText', () => {
  it.each([
    ['fits', 4, 'fits'],
    ['does not', 5, 'does…'],
    ['😀😀😀', 6, '😀😀😀'],
    ['😀😀😀', 5, '😀😀…'],
    ['😀😀😀', 4, '😀…'],
    ['', 3, ''],
  ])('%j within %i: %j', (text, limit, expected) => expect(truncateText(text, limit)).toBe(expected));

  it('never cuts an escape of the receiver’s format in two', () => {
    expect(truncateText('a&&&', 12, '…', entity)).toBe('a&amp;&amp;…');
    expect(truncateText('a&&', 11, '…', entity)).toBe('a&amp;&amp;');
  });

  it('is within the limit, starts like the text, and keeps a text that fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
        const cut = truncateText(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        if (text.length <= limit) expect(cut).toBe(text);
        else expect([...text].join('').startsWith(cut.slice(0, -1))).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});
