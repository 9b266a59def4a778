import { z } from 'zod';
import type { ScannedImage } from '../../model/image/image.ts';
import { printableText } from './fields.ts';

const MAX_LAYERS = 1_000;
/** Each identifier is a look-up. */
const MAX_CHAIN_IDS = 2_000;

const digest = () => z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected `sha256:` and 64 hex digits');

/** A container image by the chain identifiers of its layers. */
export const scannedImage = (): z.ZodType<ScannedImage> =>
  z
    .strictObject({
      reference: printableText(1, 512).optional().describe('As the image was named: `shop:1.0`.'),
      platform: printableText(1, 100).describe('Such as `linux/amd64`.'),
      digest: digest().describe('Digest of the configuration of the image.'),
      layers: z
        .array(z.array(digest()).min(1).max(MAX_CHAIN_IDS))
        .max(MAX_LAYERS)
        .describe(
          `The chain identifiers of each layer that is not empty, the lowest layer first: computed without empty layers and, where it differs, with them. At most ${MAX_CHAIN_IDS} together.`,
        ),
    })
    .refine(
      ({ layers }) => layers.reduce((sum, ids) => sum + ids.length, 0) <= MAX_CHAIN_IDS,
      `expected at most ${MAX_CHAIN_IDS} chain identifiers`,
    );
