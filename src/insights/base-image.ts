import type { BaseImage, ScannedImage } from '../model/image/image.ts';
import { InsightsError } from './errors.ts';

/** Chain identifiers that are asked for at once: those of the uppermost layers first. */
const AT_ONCE = 8;

/** Resolves to the repositories of images with exactly the layers of a chain identifier. */
type RepositoriesOf = (chainId: string) => Promise<readonly string[]>;

/**
 * Finds the public image with the most layers of an image; `undefined` when no image has any. `former`: the base that was found before.
 * Throws what `repositoriesOf` rejects with, and `InsightsError` (`lost`) when the index does not have that base any more, so that its
 * answer proves nothing: it has lost data, or it answers 404 to everything.
 */
export async function findBase(
  layers: ScannedImage['layers'],
  repositoriesOf: RepositoriesOf,
  former?: BaseImage,
): Promise<BaseImage | undefined> {
  const base = await uppermost(layers, repositoriesOf);
  if (former === undefined || base?.chainId === former.chainId) return base;
  const place = layers.findIndex((chainIds) => chainIds.includes(former.chainId)) + 1;
  const isLost = place > (base?.layers ?? 0);
  if (isLost || (base === undefined && (await repositoriesOf(former.chainId)).length === 0)) {
    const name = former.repositories[0] ?? former.chainId;
    throw new InsightsError('lost', `the index does not have the base that it had before (${name})`);
  }
  return base;
}

async function uppermost(
  layers: ScannedImage['layers'],
  repositoriesOf: RepositoriesOf,
): Promise<BaseImage | undefined> {
  const candidates = layers
    .flatMap((chainIds, index) => chainIds.map((chainId) => ({ chainId, layers: index + 1 })))
    .reverse();
  for (let at = 0; at < candidates.length; at += AT_ONCE) {
    const part = candidates.slice(at, at + AT_ONCE);
    const found = await Promise.all(part.map(({ chainId }) => repositoriesOf(chainId)));
    const index = found.findIndex((repositories) => repositories.length > 0);
    const one = part[index];
    if (one !== undefined) return { ...one, repositories: [...(found[index] ?? [])].sort() };
  }
  return undefined;
}
