import type { Group, Source } from '../../model/lockfile.ts';
import { withoutCredentials } from '../credentials.ts';
import { lineNodes } from '../json-lines.ts';
import { parseIntegrity } from '../npm-integrity.ts';
import { sourceOf } from '../npm-source.ts';
import { connect, type PackageDraft } from '../package-collector.ts';
import { draftPackage } from '../package-draft.ts';
import { isJsonObject, type JsonObject } from '../parse-json.ts';
import { textsIn } from '../parse-toml.ts';
import { Reading } from '../reading.ts';
import { type Root, spreadGroups } from '../spread-groups.ts';

interface Read {
  /** Names on the way to it in the installed tree, its own last. */
  readonly path: readonly string[];
  readonly details: JsonObject;
  readonly draft: PackageDraft;
}

/** Of a place in the installed tree; finding what it needs takes a look-up for each of them. */
const MAX_PARTS = 256;

/** Lists by which a folder of the target asks for packages. */
const LISTS: readonly (readonly [string, readonly Group[]])[] = [
  ['dependencies', []],
  ['devDependencies', ['dev']],
  ['optionalDependencies', ['optional']],
  ['peerDependencies', ['peer']],
];

/** Reads the packages; workspaces are the target itself. */
export function readPackages(root: JsonObject, text: string) {
  const reading = new Reading();
  const lines = lineNodes(text, { members: { packages: { each: {} } } })?.members?.get('packages')?.members;
  const packages = isJsonObject(root['packages']) ? root['packages'] : {};
  const byKey = new Map<string, Read>();
  for (const [key, entry] of Object.entries(packages)) {
    const line = lines?.get(key)?.line;
    const parsed = parseEntry(entry, line);
    if (parsed === 'own') continue;
    if (key.split('/', MAX_PARTS + 1).length > MAX_PARTS) {
      reading.problem(line, `"${key.slice(0, 200)}" nests deeper than any package does`);
      continue;
    }
    const draft = reading.take(typeof parsed === 'string' ? parsed : parsed.draft, line, key);
    if (draft === undefined || typeof parsed === 'string') continue;
    byKey.set(key, { path: pathOf(key), details: parsed.details, draft });
  }
  const needs = connectAll(byKey);
  const roots = rootsOf(root['workspaces'], byKey);
  for (const { draft } of roots) draft.direct = true;
  spreadGroups(roots, (draft) => needs.get(draft));
  return reading.result();
}

/**
 * `[id, registry, details, integrity]`, `[id, details, tag]` or `[id]`: the registry and the tag are texts, the details an
 * object.
 */
function parseEntry(
  entry: unknown,
  line: number | undefined,
): { draft: PackageDraft | string; details: JsonObject } | 'own' | string {
  if (!Array.isArray(entry)) return 'is not a list';
  const [id] = entry;
  if (typeof id !== 'string') return 'does not begin with its name and version';
  const at = id.indexOf('@', 1);
  if (at < 0) return 'does not begin with its name and version';
  const name = id.slice(0, at);
  const reference = id.slice(at + 1);
  if (/^(?:workspace|root):/.test(reference)) return 'own';
  const details = entry.find(isJsonObject) ?? {};
  const isVersion = /^\d+\.\d+\.\d+/.test(reference);
  const registry: unknown = entry[1];
  const integrity = entry.findLast((one) => typeof one === 'string' && /^sha\d+-/.test(one)) as
    | string
    | undefined;
  const draft = draftPackage({
    ecosystem: 'npm',
    name,
    version: isVersion ? reference : '',
    source: isVersion ? registrySource(registry) : sourceOf(reference, undefined),
    line,
    direct: false,
    integrity: parseIntegrity(integrity),
  });
  return { draft, details };
}

function registrySource(stated: unknown): Source {
  return typeof stated === 'string' && /^https?:/i.test(stated)
    ? { kind: 'registry', url: withoutCredentials(stated) }
    : { kind: 'registry' };
}

/** `a/@b/c/d` is the package d in `@b/c` in a. */
function pathOf(key: string): readonly string[] {
  const names: string[] = [];
  let scope = '';
  for (const part of key.split('/')) {
    if (part.startsWith('@') && scope === '') scope = `${part}/`;
    else {
      names.push(scope + part);
      scope = '';
    }
  }
  return names;
}

/** What Node would load for a name: the nearest folder on the way up. */
function findUpwards(
  name: string,
  from: readonly string[],
  byKey: ReadonlyMap<string, Read>,
): PackageDraft | undefined {
  for (let depth = from.length; depth >= 0; depth -= 1) {
    const found = byKey.get([...from.slice(0, depth), name].join('/'));
    if (found !== undefined) return found.draft;
  }
  return undefined;
}

function connectAll(byKey: ReadonlyMap<string, Read>) {
  const needs = new Map<PackageDraft, { always: PackageDraft[]; optional: PackageDraft[] }>();
  for (const { path, details, draft } of byKey.values()) {
    const find = (list: string, wanted: (name: string) => boolean = () => true) =>
      namesIn(details[list])
        .filter(wanted)
        .flatMap((name) => findUpwards(name, path, byKey) ?? []);
    const known = needs.get(draft) ?? { always: [], optional: [] };
    // A peer that may be missing is needed where it is there all the same, and leaves what asks for it as it is.
    const optionalPeers = new Set(textsIn(details['optionalPeers']));
    const peers = (optional: boolean) =>
      find('peerDependencies', (name) => optionalPeers.has(name) === optional);
    const always = [...find('dependencies'), ...peers(false)];
    const optional = [...find('optionalDependencies'), ...peers(true)];
    for (const one of always) known.always.push(one);
    for (const one of optional) known.optional.push(one);
    needs.set(draft, known);
    connect(draft, [...new Set([...always, ...optional].map(({ id }) => id))]);
  }
  return needs;
}

function rootsOf(workspaces: unknown, byKey: ReadonlyMap<string, Read>): readonly Root<PackageDraft>[] {
  if (!isJsonObject(workspaces)) return [];
  return Object.values(workspaces)
    .filter(isJsonObject)
    .flatMap((workspace) => {
      const name = workspace['name'];
      const from = typeof name === 'string' ? pathOf(name) : [];
      return LISTS.flatMap(([list, groups]) =>
        namesIn(workspace[list]).flatMap((wanted) => {
          const draft = findUpwards(wanted, from, byKey);
          return draft === undefined ? [] : [{ draft, groups }];
        }),
      );
    });
}

function namesIn(list: unknown): readonly string[] {
  return isJsonObject(list) ? Object.keys(list) : [];
}
