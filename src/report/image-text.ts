import type { JudgedImage } from '../model/image/image.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { counted } from './layout.ts';

const SHOWN_REPOSITORIES = 3;

/** What the image of a scan is built on; `undefined` for a scan without an image. The names come from the image and from the service. */
export function imageText({
  image,
  gaps,
}: {
  readonly image?: JudgedImage | undefined;
  readonly gaps: Verdict['gaps'];
}): string | undefined {
  if (image === undefined) return undefined;
  const name = `Image ${image.reference ?? image.digest} (${image.platform})`;
  if (gaps.some(({ kind }) => kind === 'image')) return `${name}: its base could not be looked up.`;
  return image.base === undefined
    ? `${name}: no public image has its layers.`
    : `${name}: built on ${repositoriesText(image.base.repositories)}, ${layersText(image, image.base)}.`;
}

function layersText({ layers }: JudgedImage, base: NonNullable<JudgedImage['base']>): string {
  return base.layers === layers
    ? 'with no layer above it'
    : `with ${counted(layers - base.layers, 'layer')} above it`;
}

function repositoriesText(repositories: readonly string[]): string {
  const more = repositories.length - SHOWN_REPOSITORIES;
  const shown = repositories.slice(0, SHOWN_REPOSITORIES).join(', ');
  return more > 0 ? `${shown} (and ${more} more repositories)` : shown;
}
