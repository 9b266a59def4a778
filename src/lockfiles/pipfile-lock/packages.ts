import type { Group, Source } from '../../model/scan/lockfile.ts';
import { parseDigests } from '../ecosystems/python-digests.ts';
import { normalizedName } from '../ecosystems/python-names.ts';
import { withoutCredentials } from '../packages/credentials.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import { Reading } from '../reading.ts';
import { lineNodes, type Wanted } from '../syntax/json-lines.ts';
import { isJsonObject, type JsonObject } from '../syntax/parse-json.ts';
import { textIn, textsIn } from '../syntax/parse-toml.ts';

/** Groups of the categories that every Pipfile.lock has; any other is a group of its own name. */
const CATEGORIES: ReadonlyMap<string, readonly Group[]> = new Map([
  ['default', []],
  ['develop', ['dev']],
]);

interface Context {
  readonly indexes: ReadonlyMap<string, string>;
  readonly direct: ReadonlySet<string> | undefined;
}

/** Reads the packages of all categories; `direct` holds the names of the Pipfile, where there is one. */
export function readPackages(root: JsonObject, text: string, direct: ReadonlySet<string> | undefined) {
  const reading = new Reading();
  const wanted: Wanted = { each: { each: {} } };
  const lines = lineNodes(text, wanted);
  const context: Context = { indexes: indexesOf(root['_meta']), direct };
  for (const [category, entries] of Object.entries(root)) {
    if (category === '_meta') continue;
    if (!isJsonObject(entries)) {
      reading.problem(lines?.members?.get(category)?.line, `category "${category}" is not an object`);
      continue;
    }
    for (const [name, entry] of Object.entries(entries)) {
      const line = lines?.members?.get(category)?.members?.get(name)?.line;
      const groups = CATEGORIES.get(category) ?? [category];
      // The project itself, which Pipenv lists where it is installed as editable.
      if (isJsonObject(entry) && /^\.?\/?$/.test(textIn(entry['path']) ?? 'x')) continue;
      reading.take(readEntry(name, entry, { line, groups, ...context }), line, name);
    }
  }
  return reading.result();
}

function readEntry(
  name: string,
  entry: unknown,
  {
    line,
    groups,
    indexes,
    direct,
  }: Context & { readonly line: number | undefined; readonly groups: readonly Group[] },
): PackageDraft | string {
  if (!isJsonObject(entry)) return 'is not an object';
  const stated = textIn(entry['version']) ?? '';
  const version = /^={2,3}\s*(?!.*\*)([^\s,]+)$/.exec(stated)?.[1] ?? '';
  const source = sourceOf(entry, indexes);
  if (version === '' && source.kind === 'registry') {
    return stated === '' ? 'has no version' : `has a version that is none: ${stated.slice(0, 100)}`;
  }
  return draftPackage({
    ecosystem: 'pypi',
    name,
    version,
    source,
    line,
    direct: direct?.has(normalizedName(name)),
    groups,
    integrity: parseDigests(textsIn(entry['hashes'])),
  });
}

function sourceOf(entry: JsonObject, indexes: ReadonlyMap<string, string>): Source {
  for (const kind of ['git', 'hg', 'svn', 'bzr']) {
    const url = textIn(entry[kind]);
    const commit = textIn(entry['ref']);
    if (url === undefined) continue;
    const from = withoutCredentials(url);
    return commit === undefined ? { kind: 'git', url: from } : { kind: 'git', url: from, commit };
  }
  const place = textIn(entry['path']) ?? textIn(entry['file']);
  if (place !== undefined) {
    return /^https?:/i.test(place)
      ? { kind: 'url', url: withoutCredentials(place) }
      : { kind: 'path', path: place };
  }
  const url = indexes.get(textIn(entry['index']) ?? '');
  return url === undefined ? { kind: 'registry' } : { kind: 'registry', url };
}

/** The indexes of `_meta.sources` by the names that entries use. */
function indexesOf(meta: unknown): ReadonlyMap<string, string> {
  const sources = isJsonObject(meta) && Array.isArray(meta['sources']) ? meta['sources'] : [];
  const found = new Map<string, string>();
  for (const source of sources.filter(isJsonObject)) {
    const { name, url } = source;
    if (typeof name === 'string' && typeof url === 'string') found.set(name, withoutCredentials(url));
  }
  return found;
}
