import type { BaseImage, ScannedImage } from '../model/image/image.ts';

/** Chain identifiers that are asked for at once: those of the uppermost layers first. */
const AT_ONCE = 8;

/**
 * The public image with the most layers of an image; `undefined` when there is none. `repositoriesOf` resolves to the repositories of images
 * with exactly the layers of a chain identifier; what it rejects with is thrown.
 */
export async function findBase(
  layers: ScannedImage['layers'],
  repositoriesOf: (chainId: string) => Promise<readonly string[]>,
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
