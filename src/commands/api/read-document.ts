import { resolve } from 'node:path';
import { BUNDLED_APIS, readBundledDescription } from '../../discovery/bundled.ts';
import { parseDescription, type RestDescription } from '../../discovery/description/description.ts';
import { FileError } from '../../files/errors.ts';
import { MAX_INPUT_BYTES, readFile } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import { ApiError } from './errors.ts';

/**
 * Reads a bundled document by its name (`insights`), or a file whose path is relative to `folder`. Throws `ApiError` (`document-not-found`) and `DiscoveryError` (`invalid-document`).
 */
export async function readLocalDocument(named: string, folder = '.'): Promise<RestDescription> {
  const bundled = bundledApi(named);
  if (bundled !== undefined) return await readBundledDescription(bundled);
  return parseDescription(await readDocumentFile(named, folder), named);
}

/** The bundled document of that name: `insights` or, with its version, `insights:v3alpha`. */
export function bundledApi(named: string) {
  const [name = '', version] = named.split(':');
  const api = BUNDLED_APIS.get(name);
  return version === undefined || api === `${name}.${version}` ? api : undefined;
}

/** The text of a file. Throws `ApiError` (`document-not-found`), which lists the possible names. */
export async function readDocumentFile(path: string, folder = '.'): Promise<string> {
  try {
    // JSON does not allow the byte order mark that some editors write.
    const content = await readFile(resolve(folder, path), { maxBytes: MAX_INPUT_BYTES });
    return content.toString('utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    if (cause instanceof FileError && cause.code === 'not-found') {
      throw new ApiError(
        'document-not-found',
        `${path}: no such file. Name a file, a URL or a bundled document: ${[...BUNDLED_APIS.keys()].join(', ')}. ` +
          'With --directory <url> also any API of that directory.',
        { cause },
      );
    }
    throw new ApiError('document-not-found', messageOf(cause), { cause });
  }
}
