import { stat } from 'node:fs/promises';
import path from 'node:path';
import { readFile } from '../../files/read-file.ts';
import { ImageError } from './image-error.ts';
import { openTar } from './tar.ts';

/** Manifests and configurations of images have some kilobytes. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** The small files of an image. */
export interface ImageFiles {
  /** `undefined` when there is no such file. Throws `ImageError` and `FileError`. */
  read(name: string): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** Opens an OCI layout folder, or a tar archive. Throws `ImageError` and `FileError`. */
export async function openImageFiles(image: string): Promise<ImageFiles> {
  const isFolder = await stat(image).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? folderFiles(image) : await archiveFiles(image);
}

function folderFiles(folder: string): ImageFiles {
  return {
    async read(name) {
      try {
        return await readFile(path.join(folder, name), { maxBytes: MAX_FILE_BYTES, within: folder });
      } catch (error) {
        if ((error as { readonly code?: unknown }).code === 'not-found') return undefined;
        throw error;
      }
    },
    async close() {},
  };
}

async function archiveFiles(archive: string): Promise<ImageFiles> {
  const tar = await openTar(archive);
  return {
    async read(name) {
      const entry = tar.entries.get(name);
      if (entry === undefined) return undefined;
      if (entry.bytes > MAX_FILE_BYTES) {
        throw new ImageError('too-large', `${archive}: ${name} exceeds the limit of ${MAX_FILE_BYTES} bytes`);
      }
      return await tar.read(entry);
    },
    close: tar.close,
  };
}
