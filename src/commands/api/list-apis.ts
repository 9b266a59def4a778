import { BUNDLED_APIS, readBundledDescription } from '../../discovery/bundled.ts';
import { openDirectory } from '../../discovery/directory/directory.ts';
import type { DirectoryItem } from '../../discovery/directory/directory-list.ts';
import { type DocumentsOptions, withDocuments } from './documents.ts';

/** Without a directory the bundled documents are listed. */
export interface ListOptions extends DocumentsOptions {
  readonly name?: string | undefined;
  readonly preferred: boolean;
}

/** The APIs of a directory, or the bundled ones. Throws `DiscoveryError` and `HttpError`. */
export async function listApis(options: ListOptions): Promise<readonly DirectoryItem[]> {
  const { directory, name, preferred, signal } = options;
  if (directory === undefined) {
    const items = await Promise.all([...BUNDLED_APIS.values()].map(bundledItem));
    return items.filter((item) => name === undefined || item.name === name);
  }
  return withDocuments(options, async ({ http }) =>
    (await openDirectory({ http, url: directory })).list({ preferred, signal, name }),
  );
}

async function bundledItem(api: Parameters<typeof readBundledDescription>[0]): Promise<DirectoryItem> {
  const {
    name = '',
    version = '',
    title = '',
    description = '',
    labels = [],
  } = await readBundledDescription(api);
  return { id: `${name}:${version}`, name, version, title, description, labels, preferred: true };
}
