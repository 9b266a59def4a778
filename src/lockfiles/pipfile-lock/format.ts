import { isObject, type JsonObject } from '../../model/json-object.ts';
import type { Group, Source } from '../../model/lockfile/lockfile.ts';
import { normalizedName, parseDigests } from '../ecosystems/python.ts';
import type { Format, LockfileInput } from '../format.ts';
import { draftPackage, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { gitSource, isProjectFolder, registrySource, urlSource } from '../packages/sources.ts';
import { readCompanion } from '../syntax/decode-text.ts';
import { parseJsonLines } from '../syntax/parse-json.ts';
import { isTable, membersOf, parseToml, tableIn, tablesIn, textIn, textsIn } from '../syntax/parse-toml.ts';

const MANIFEST = 'Pipfile';

/** Pipenv's lockfile. */
export const pipfileLock: Format = {
  name: 'pipfile-lock',
  title: 'Pipfile.lock',
  ecosystem: 'pypi',
  fileNames: ['Pipfile.lock'],
  facts: { edges: false, groups: true, integrity: true, lines: true },
  mayBeEmpty: false,
  companions: [MANIFEST],
  recognises: (head) => /^\s*\{/.test(head) && /"pipfile-spec"\s*:/.test(head),
  read: readPipfileLock,
};

/** Groups of the standard categories. Any other category is a group of its own name. */
const CATEGORIES: ReadonlyMap<string, readonly Group[]> = new Map([
  ['default', []],
  ['develop', ['dev']],
]);

interface Context {
  readonly indexes: ReadonlyMap<string, string>;
  readonly direct: ReadonlySet<string> | undefined;
  readonly groups: readonly Group[];
}

const NOTHING = { root: {} as JsonObject, lines: undefined };

function readPipfileLock(input: LockfileInput, builder: LockfileBuilder): void {
  const { text } = input;
  const isEmpty = text.trim() === '';
  const { root, lines } = isEmpty ? NOTHING : parseJsonLines(input, 'a Pipfile.lock', { each: { each: {} } });
  const shared = { indexes: indexesOf(root['_meta']), direct: namesInManifest(input) };
  for (const [category, entries] of Object.entries(root)) {
    if (category === '_meta') continue;
    const own = lines?.members?.get(category);
    if (!isObject(entries)) {
      builder.problem(own?.line, `category "${category}" is not an object`);
      continue;
    }
    const context = { ...shared, groups: CATEGORIES.get(category) ?? [category] };
    for (const [name, entry] of Object.entries(entries)) {
      const line = own?.members?.get(name)?.line;
      const path = textIn(tableIn(entry)['path']);
      // Pipenv lists the project itself where it is installed as editable.
      if (path !== undefined && isProjectFolder(path)) continue;
      builder.add(readEntry(name, entry, line, context), line, name);
    }
  }
}

function readEntry(
  name: string,
  entry: unknown,
  line: number | undefined,
  { groups, indexes, direct }: Context,
): PackageDraft | string {
  if (!isObject(entry)) return 'is not an object';
  const stated = textIn(entry['version']) ?? '';
  const version = /^={2,3}\s*([^\s,*]+)$/.exec(stated)?.[1] ?? '';
  const source = sourceOf(entry, indexes);
  if (version === '' && source.kind === 'registry') {
    return stated === '' ? 'has no version' : `does not pin a version: ${stated.slice(0, 100)}`;
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
  const repository = ['git', 'hg', 'svn', 'bzr'].map((kind) => textIn(entry[kind])).find(Boolean);
  if (repository !== undefined) return gitSource(repository, textIn(entry['ref']));
  const location = textIn(entry['path']) ?? textIn(entry['file']);
  if (location !== undefined) {
    return /^https?:/i.test(location) ? urlSource(location) : { kind: 'path', path: location };
  }
  return registrySource(indexes.get(textIn(entry['index']) ?? ''));
}

/** URLs of the indexes in `_meta.sources` by the names that entries use. */
function indexesOf(meta: unknown): ReadonlyMap<string, string> {
  return new Map(
    tablesIn(tableIn(meta)['sources']).flatMap(({ name, url }): [string, string][] =>
      typeof name === 'string' && typeof url === 'string' ? [[name, url]] : [],
    ),
  );
}

const NO_CATEGORIES: ReadonlySet<string> = new Set(['source', 'requires', 'scripts', 'pipenv']);

/** The normalised names of all dependencies in the Pipfile; `undefined` when it is absent or unreadable. */
function namesInManifest(input: LockfileInput): ReadonlySet<string> | undefined {
  return readCompanion(input, MANIFEST, (text) => {
    const categories = membersOf(parseToml(text, MANIFEST)).filter(
      ([name, table]) => !NO_CATEGORIES.has(name) && isTable(table),
    );
    return new Set(categories.flatMap(([, table]) => membersOf(table).map(([name]) => normalizedName(name))));
  });
}
