import type { ScannedImage } from '../model/image/image.ts';

/** An image that a command names: its path, and of several platforms one. */
export interface ImagePath {
  readonly path: string;
  readonly platform?: string | undefined;
}

/**
 * Reads the image that a scan names: chain identifiers, without the commands that made its layers, which may contain secrets. Throws
 * `ImageError` and `FileError`.
 */
export async function readScannedImage(image: ImagePath | undefined): Promise<ScannedImage | undefined> {
  if (image === undefined) return undefined;
  const { readImage } = await import('../sources/image/oci-image.ts');
  const { reference, platform, digest, layers } = await readImage(image.path, image.platform);
  return {
    ...(reference === undefined ? {} : { reference }),
    platform,
    digest,
    layers: layers.map(({ chainIds }) => [...chainIds]),
  };
}
