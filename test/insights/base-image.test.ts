import { describe, expect, test } from 'vitest';
import { findBase } from '../../src/insights/base-image.ts';
import type { BaseImage } from '../../src/model/image/image.ts';

const LAYERS = [['one'], ['two', 'two-with-empty-layers'], ['three']];
const FORMER: BaseImage = { chainId: 'two', layers: 2, repositories: ['library/node'] };

/** The index has these chain identifiers. */
const index = (known: readonly string[]) => async (chainId: string) =>
  known.includes(chainId) ? [`library/${chainId}`] : [];
const find = (known: readonly string[], former?: BaseImage, layers = LAYERS) =>
  findBase(layers, index(known), former);

describe('the base of an image', () => {
  test('is the public image with the most layers', async () => {
    expect(await find(['one', 'two-with-empty-layers'])).toMatchObject({ layers: 2 });
    expect(await find([])).toBeUndefined();
  });

  test('is another one, or none, where the index still has the former one', async () => {
    const rebuilt = [['other'], ['own']];
    expect(await find(['one', 'two', 'three'], FORMER)).toMatchObject({ chainId: 'three', layers: 3 });
    expect(await find(['other', 'two'], FORMER, rebuilt)).toMatchObject({ chainId: 'other' });
    expect(await find(['two'], FORMER, rebuilt)).toBeUndefined();
    // What the index has of the image is evidence, whatever became of the former base.
    expect(await find(['other'], FORMER, rebuilt)).toMatchObject({ chainId: 'other' });
  });

  test.each([
    ['nothing any more', [], LAYERS],
    ['nothing of an image with other layers', [], [['other']]],
    ['only what is below the former base', ['one'], LAYERS],
  ])('is not known from an index that has %s', async (_what, known, layers) => {
    await expect(find(known, FORMER, layers)).rejects.toMatchObject({
      code: 'lost',
      message: expect.stringContaining('library/node'),
    });
  });
});
