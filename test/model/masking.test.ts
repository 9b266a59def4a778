import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMasker, harmlessCause } from '../../src/model/secret.ts';

describe('masking', () => {
  it('finds a value unchanged, percent-encoded, form-encoded and inside JSON', () => {
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

  it('finds a value in HTML', () => {
    const mask = createMasker([`a"b'c<d>&e`]);
    for (const quotes of [
      ['&quot;', '&#39;'],
      ['&#34;', '&#39;'],
      ['&quot;', '&#x27;'],
      ['"', "'"],
    ]) {
      expect(mask(`<p>a${quotes[0]}b${quotes[1]}c&lt;d&gt;&amp;e</p>`)).toBe('<p>(secret)</p>');
    }
  });

  it('finds a value in the Base64 of a longer text', () => {
    const secret = fc.string({ unit: 'grapheme-ascii', minLength: 6 }).filter((text) => text.trim() === text);
    fc.assert(
      fc.property(
        secret,
        fc.string({ maxLength: 9 }),
        fc.string({ maxLength: 9 }),
        (value, before, after) => {
          for (const encoding of ['base64', 'base64url'] as const) {
            const encoded = Buffer.from(before + value + after).toString(encoding);
            const masked = createMasker([value])(encoded);
            expect(masked).toContain('(secret)');
            const left = masked.split('(secret)').map((part) => Buffer.from(part, encoding).toString());
            expect(left.join('\n')).not.toContain(value);
          }
        },
      ),
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

  it('masks a short value where it is a word of its own, and not inside of known words', () => {
    const mask = createMasker(['tok', '/x9', 'longer-secret']);
    expect(mask('variable ALERT_TOKEN: created')).toBe('variable ALERT_TOKEN: created');
    expect(mask('a token, a stoker and TOK')).toBe('a token, a stoker and (secret)');
    expect(mask('?key=tok&x "tok" tok. Bearer tok')).toBe(
      '?key=(secret)&x "(secret)" (secret). Bearer (secret)',
    );
    expect(mask('https://host.example/x9 /x99')).toBe('https://host.example(secret) /x99');
    expect(mask('xLONGER-secretx')).toBe('x(secret)x');
  });

  it('keeps a cause only when it holds nothing secret', () => {
    const mask = createMasker(['quiet-value']);
    const inner = new Error('outer', { cause: new Error('holds quiet-value') });
    expect(harmlessCause(inner, mask)).toEqual({});
    const harmless = new Error('nothing');
    expect(harmlessCause(harmless, mask)).toEqual({ cause: harmless });
  });
});
