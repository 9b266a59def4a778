import { z } from 'zod';
import { readFile } from '../files/read-file.ts';
import { findBase } from '../insights/base-image.ts';
import type { BaseImage } from '../model/image/image.ts';
import { type ContainerImage, readImage } from '../sources/image/oci-image.ts';
import { BaseImageError } from './errors.ts';
import type { InsightsSession } from './insights-session.ts';

/** The difference from an earlier answer. `gone`: no public image has the layers of the base any more. */
export interface BaseChange {
  readonly kind: 'changed' | 'gone' | 'found';
  readonly before?: BaseImage;
}

export interface BaseImageReport {
  readonly schema: 'lockhound.base-image/1';
  readonly image: Omit<ContainerImage, 'layers'> & { readonly path: string; readonly layers: number };
  /** The base; absent when no public image has its layers. */
  readonly base?: BaseImage;
  /** The commands of the layers above the base, the lowest first. */
  readonly above: readonly string[];
  /** The change; present when the base is not what it was. */
  readonly change?: BaseChange;
}

interface BaseImageOptions {
  readonly platform?: string | undefined;
  /** File with an earlier report. */
  readonly baseline?: string | undefined;
  readonly signal: AbortSignal;
}

const MAX_BASELINE_BYTES = 16 * 1024 * 1024;

/**
 * Finds the public image with the most layers of an image. Only chain identifiers are sent. Throws `ImageError`, `FileError`, `BaseImageError` and
 * `InsightsError`.
 */
export async function findBaseImage(
  { operations, service }: Pick<InsightsSession, 'operations' | 'service'>,
  path: string,
  { platform, baseline, signal }: BaseImageOptions,
): Promise<BaseImageReport> {
  const before = baseline === undefined ? undefined : await readBaseline(baseline);
  const { layers, ...image } = await readImage(path, platform);
  const repositoriesOf = async (chainId: string): Promise<readonly string[]> => {
    const { value, error } = await operations.queryContainerImages(service, chainId, { signal });
    if (error?.code === 'not-found') return [];
    if (error !== undefined) throw error;
    return (value.results ?? []).flatMap(({ repository }) => repository ?? []);
  };
  const base = await findBase(
    layers.map(({ chainIds }) => chainIds),
    repositoriesOf,
    before?.base,
  );
  const change = before && changeOf(before.base, base);
  return {
    schema: 'lockhound.base-image/1',
    image: { path, ...image, layers: layers.length },
    ...(base === undefined ? {} : { base }),
    above: layers.slice(base?.layers ?? 0).map(({ createdBy = '' }) => createdBy),
    ...(change === undefined ? {} : { change }),
  };
}

function changeOf(before: BaseImage | undefined, now: BaseImage | undefined): BaseChange | undefined {
  if (before?.chainId === now?.chainId) return undefined;
  if (before === undefined) return { kind: 'found' };
  return { kind: now === undefined ? 'gone' : 'changed', before };
}

const baselineSchema = z.looseObject({
  schema: z.literal('lockhound.base-image/1'),
  base: z.object({ chainId: z.string(), layers: z.number(), repositories: z.array(z.string()) }).optional(),
});

async function readBaseline(file: string): Promise<z.infer<typeof baselineSchema>> {
  const content = await readFile(file, { maxBytes: MAX_BASELINE_BYTES });
  try {
    return baselineSchema.parse(JSON.parse(content.toString('utf8')));
  } catch (cause) {
    throw new BaseImageError(
      'baseline-invalid',
      `${file}: no result of \`lockhound insights base-image --json\``,
      {
        cause,
      },
    );
  }
}
