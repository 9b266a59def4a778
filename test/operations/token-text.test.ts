import { describe, expect, it } from 'vitest';
import { createTokenText, fitsHash, parseTokenText } from '../../src/operations/tokens/token-text.ts';

describe('the text of a token', () => {
  it('has an id and a secret, of which only a hash is stored', () => {
    const { id, text, hash } = createTokenText();
    const parsed = parseTokenText(text);
    expect(parsed?.id).toBe(id);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(fitsHash(parsed?.secret ?? '', hash)).toBe(true);
    expect(createTokenText().text).not.toBe(text);
  });

  it('does not fit when any character differs, or when there is no such token', () => {
    const { text, hash } = createTokenText();
    const { secret = '' } = parseTokenText(text) ?? {};
    for (const at of [0, 20, 41]) {
      const other = secret.slice(0, at) + (secret[at] === 'A' ? 'B' : 'A') + secret.slice(at + 1);
      expect(fitsHash(other, hash)).toBe(false);
    }
    expect(fitsHash(secret, undefined)).toBe(false);
    expect(fitsHash('', hash)).toBe(false);
  });

  it.each([
    '',
    'lockhound_',
    'Bearer x',
    `lockhound_${'g'.repeat(12)}_${'a'.repeat(43)}`,
    `${'x'.repeat(1e6)}`,
  ])('is not read from another text (%#)', (text) => expect(parseTokenText(text)).toBeUndefined());
});
