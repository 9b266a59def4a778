import type { Group, Source } from '../../model/lockfile.ts';
import { parseIntegrity } from '../ecosystems/npm-integrity.ts';
import { sourceOf } from '../ecosystems/npm-source.ts';
import { withoutCredentials } from '../packages/credentials.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import type { Root } from '../packages/spread-groups.ts';
import { connectWay, spreadGroupsOfWays, type Way, wayOf } from '../packages/ways.ts';
import { Reading } from '../reading.ts';
import { entryLines } from '../syntax/entry-lines.ts';
import { isJsonObject, type JsonObject } from '../syntax/parse-json.ts';
import { textsIn } from '../syntax/parse-toml.ts';
import { findUpwards, type Place, Places } from './places.ts';

interface Read {
  readonly details: JsonObject;
  readonly way: Way;
}

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
  const lines = entryLines(text, 'packages', '[');
  const packages = isJsonObject(root['packages']) ? root['packages'] : {};
  const places = new Places<Read>();
  const held: Place<Read>[] = [];
  for (const key of Object.keys(packages)) {
    const line = lines.next(key, 2, () => [key]);
    const parsed = parseEntry(packages[key], line);
    if (parsed === 'own') continue;
    const draft = reading.take(typeof parsed === 'string' ? parsed : parsed.draft, line, key);
    if (draft === undefined || typeof parsed === 'string') continue;
    const place = places.add(key, { details: parsed.details, way: wayOf(draft) });
    if (place !== undefined) held.push(place);
    else {
      reading.problem(
        line,
        `"${key.slice(0, 200)}" nests deeper than any package does: its edges are not read`,
      );
    }
  }
  for (const place of held) connectPlace(place);
  const roots = rootsOf(root['workspaces'], places);
  for (const { draft } of roots) draft.draft.direct = true;
  spreadGroupsOfWays(
    roots,
    held.flatMap(({ value }) => value?.way ?? []),
  );
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

function connectPlace(place: Place<Read>): void {
  if (place.value === undefined) return;
  const { details, way } = place.value;
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers } = details;
  const always: Way[] = [];
  const optional: Way[] = [];
  for (const name of namesIn(dependencies)) add(name, always);
  for (const name of namesIn(optionalDependencies)) add(name, optional);
  if (peerDependencies !== undefined) {
    // A peer that may be missing is needed where it is there all the same, and leaves what asks for it as it is.
    const mayMiss = textsIn(optionalPeers);
    for (const name of namesIn(peerDependencies)) add(name, mayMiss.includes(name) ? optional : always);
  }
  connectWay(way, always, optional);

  function add(name: string, into: Way[]): void {
    const found = findUpwards(name, place);
    if (found !== undefined) into.push(found.way);
  }
}

function rootsOf(workspaces: unknown, places: Places<Read>): readonly Root<Way>[] {
  if (!isJsonObject(workspaces)) return [];
  return Object.values(workspaces)
    .filter(isJsonObject)
    .flatMap((workspace) => {
      const name = workspace['name'];
      const from = places.at(typeof name === 'string' ? name : '');
      return LISTS.flatMap(([list, groups]) =>
        namesIn(workspace[list]).flatMap((wanted) => {
          const found = findUpwards(wanted, from);
          return found === undefined ? [] : [{ draft: found.way, groups }];
        }),
      );
    });
}

const NONE: readonly string[] = [];

function namesIn(list: unknown): readonly string[] {
  return isJsonObject(list) ? Object.keys(list) : NONE;
}
