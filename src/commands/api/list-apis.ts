import { BUNDLED_APIS, readBundledDescription } from '../../discovery/bundled.ts';
import { openDirectory } from '../../discovery/directory/directory.ts';
import type { DirectoryItem } from '../../discovery/directory/directory-list.ts';
import { openDocuments } from './documents.ts';

export interface ListOptions {
  /** Default: the bundled documents. */
  readonly directory?: string | undefined;
  readonly name?: string | undefined;
  readonly preferred: boolean;
  readonly signal: AbortSignal;
}

/** The APIs of a directory, or the bundled ones. Throws `DiscoveryError` and `HttpError`. */
export async function listApis(options: ListOptions): Promise<readonly DirectoryItem[]> {
  const { directory, name, preferred, signal } = options;
  if (directory === undefined) {
    const items = await Promise.all([...BUNDLED_APIS.values()].map(bundledItem));
    return items.filter((item) => name === undefined || item.name === name);
  }
  const documents = openDocuments({ directory });
  try {
    const opened = await openDirectory({ http: documents.http, url: directory });
    return await opened.list({ preferred, signal, name });
  } finally {
    await documents.close();
  }
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
