import { describe, expect, it } from 'vitest';
import { packJson, recogniseCompression, unpackJson } from '../../src/store/values/compression.ts';

describe('JSON in the store', () => {
  it.each([
    ['small', { a: 'x'.repeat(100) }, 'none'],
    ['large', { a: 'x'.repeat(10_000) }, 'zstd'],
    ['nothing', undefined, 'none'],
  ] as const)('that is %s is read back unchanged', async (_size, value, compression) => {
    const packed = await packJson(value);
    const stored = typeof packed === 'string' ? Buffer.from(packed) : packed;
    expect(recogniseCompression(stored)).toBe(compression);
    expect(await unpackJson(stored)).toEqual(value ?? null);
  });
});
