import { printableUrl } from '../../http/errors.ts';
import { DiscoveryError } from '../errors.ts';

/** One version of an API in a directory. */
export interface DirectoryItem {
  /** `name:version`. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  /** The URL of its description document; absent when the directory has none. */
  readonly documentUrl?: string | undefined;
  readonly documentationLink?: string | undefined;
  readonly labels: readonly string[];
  readonly preferred: boolean;
}

/**
 * Reads an answer of `discovery.apis.list`, whose shape the specification leaves open (field notes, "Discovery
 * service"). An entry without a name is left out; a missing version or title is empty. Throws `DiscoveryError`
 * (`invalid-directory`) for a value that is not a list of APIs. `url`: where it was read.
 */
export function readDirectory(value: unknown, url: string): readonly DirectoryItem[] {
  const { items, kind } = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly items?: unknown;
    readonly kind?: unknown;
  };
  // An empty directory may omit the list, but has the right kind.
  if (items === undefined && kind === 'discovery#directoryList') return [];
  if (!Array.isArray(items)) {
    throw new DiscoveryError('invalid-directory', `${printableUrl(url)}: the answer is not a list of APIs`);
  }
  return items.flatMap((item) => readItem(item, url) ?? []);
}

function readItem(value: unknown, url: string): DirectoryItem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const item = value as Readonly<Record<string, unknown>>;
  const text = (key: string) => (typeof item[key] === 'string' ? item[key] : undefined);
  const [idName, idVersion] = text('id')?.split(':') ?? [];
  const name = text('name') ?? idName;
  const version = text('version') ?? idVersion ?? '';
  if (name === undefined || name === '') return undefined;
  return {
    id: text('id') ?? `${name}:${version}`,
    name,
    version,
    title: text('title') ?? '',
    description: text('description') ?? '',
    documentUrl: absolute(text('discoveryRestUrl') ?? text('discoveryLink'), url),
    documentationLink: text('documentationLink'),
    labels: Array.isArray(item['labels']) ? item['labels'].filter((label) => typeof label === 'string') : [],
    preferred: item['preferred'] === true || item['preferred'] === 'true',
  };
}

function absolute(link: string | undefined, url: string): string | undefined {
  return link === undefined ? undefined : (URL.parse(link, url)?.href ?? undefined);
}

/**
 * The entry of `name` or `name:version`. Without a version the preferred one, otherwise the newest: stable before beta
 * before alpha, then by number. Throws `DiscoveryError` (`unknown-api`) with the available versions.
 */
export function chooseApi(items: readonly DirectoryItem[], wanted: string): DirectoryItem {
  const [name = '', version] = wanted.split(':');
  const named = items.filter((item) => item.name === name);
  const [newest] = named.toSorted(compareVersions);
  const chosen =
    version === undefined
      ? (named.find(({ preferred }) => preferred) ?? newest)
      : named.find((item) => item.version === version);
  if (chosen !== undefined) return chosen;
  const available = named.map((item) => item.version).join(', ');
  throw new DiscoveryError(
    'unknown-api',
    named.length === 0
      ? `the directory has no API ${JSON.stringify(name)}`
      : `the directory has no version ${version} of ${name}; it has ${available}`,
  );
}

function compareVersions(left: DirectoryItem, right: DirectoryItem): number {
  return (
    stability(left.version) - stability(right.version) ||
    right.version.localeCompare(left.version, 'en', { numeric: true })
  );
}

function stability(version: string): number {
  return version.includes('alpha') ? 2 : version.includes('beta') ? 1 : 0;
}
