import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HashType, readHash } from '../../src/insights/request/params.ts';

const TYPES: readonly HashType[] = ['MD5', 'SHA1', 'SHA256', 'SHA512'];

test('a digest is the same in hex, in base64 and as Subresource Integrity', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.constantFrom(...TYPES), fc.boolean(), (content, type, upper) => {
      const digest = createHash(type).update(content).digest();
      const value = digest.toString('base64');
      const hex = digest.toString('hex');
      const texts = [
        `${type}:${upper ? hex.toUpperCase() : hex}`,
        `${type.toLowerCase()}:${value}`,
        `${type.toLowerCase()}-${value}`,
        `${type}:${digest.toString('base64url')}`,
      ];
      for (const text of texts) expect(readHash(text)).toEqual({ type, value });
    }),
  );
});

test('the empty file', () => {
  expect(readHash('sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')).toEqual({
    type: 'SHA256',
    value: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  });
});

test.each([
  'sha512:abc',
  'sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuF==',
  'sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFUA',
  'sha1:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  // Hex that was encoded again.
  `md5:${Buffer.from('d41d8cd98f00b204e9800998ecf8427e').toString('base64')}`,
  'sha384:AAAA',
  'h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '',
])('%j is refused', (text) => {
  expect(() => readHash(text)).toThrow(expect.objectContaining({ code: 'invalid', rule: 'hash-form' }));
});
