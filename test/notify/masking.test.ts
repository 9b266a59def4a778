import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMasker, harmlessCause } from '../../src/notify/masking.ts';

describe('masking', () => {
  it('finds a value as it is, percent-encoded, form-encoded and inside JSON', () => {
    const secret = fc
      .string({ unit: 'grapheme-ascii', minLength: 6 })
      .filter((text) => text.trim().length > 5);
    fc.assert(
      fc.property(secret, (value) => {
        const mask = createMasker([value]);
        const form = new URLSearchParams([['a', value]]).toString();
        expect(mask(`\n${value}\n`)).toBe('\n(secret)\n');
        expect(mask(`\n${encodeURIComponent(value)}\n`)).toBe('\n(secret)\n');
        expect(mask(form)).toBe('a=(secret)');
        expect(mask(JSON.stringify([value]))).toBe('["(secret)"]');
      }),
    );
  });

  it('masks the longer of two values that begin alike, and leaves text without secrets alone', () => {
    expect(createMasker(['token', 'token-long'])('a token-long and a TOKEN')).toBe(
      'a (secret) and a (secret)',
    );
    expect(createMasker([''])('a b')).toBe('a b');
  });

  it('masks what is shown of a URL that is a secret, and reads nothing else as a URL', () => {
    const mask = createMasker(['https://example.com/T0/deep?sig=long', 'user:word']);
    expect(mask('POST https://example.com/T0/deep: a word, ?sig=long')).toBe(
      'POST https://example.com(secret): a word, ?(secret)',
    );
  });

  it('keeps a cause only when it holds nothing secret', () => {
    const mask = createMasker(['quiet-value']);
    const inner = new Error('outer', { cause: new Error('holds quiet-value') });
    expect(harmlessCause(inner, mask)).toEqual({});
    const harmless = new Error('nothing');
    expect(harmlessCause(harmless, mask)).toEqual({ cause: harmless });
  });
});
