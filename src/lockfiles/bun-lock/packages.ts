import type { Group, Source } from '../../model/scan/lockfile.ts';
import { parseIntegrity } from '../ecosystems/npm-integrity.ts';
import { sourceOf } from '../ecosystems/npm-source.ts';
import { reportNewerVersion } from '../newer-version.ts';
import { withoutCredentials } from '../packages/credentials.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import type { Root } from '../packages/spread-groups.ts';
import { connectWay, spreadGroupsOfWays, type Way, wayOf } from '../packages/ways.ts';
import { Reading } from '../reading.ts';
import type { BunDocument, BunEntry, BunWorkspace } from './document.ts';
import { findUpwards, type Place, Places } from './places.ts';

interface Read {
  readonly entry: BunEntry;
  readonly way: Way;
}

/** Lists by which a folder of the target asks for packages. */
const LISTS: readonly (readonly [Exclude<keyof BunWorkspace, 'name'>, readonly Group[]])[] = [
  ['dependencies', []],
  ['devDependencies', ['dev']],
  ['optionalDependencies', ['optional']],
  ['peerDependencies', ['peer']],
];

const NEWEST_VERSION = 2;

/** Takes the packages; workspaces are the target itself. */
export function takePackages({ lockfileVersion, packages, workspaces }: BunDocument) {
  const reading = new Reading();
  reportNewerVersion(reading.problem.bind(reading), lockfileVersion, NEWEST_VERSION);
  const places = new Places<Read>();
  const held: Place<Read>[] = [];
  const ways: Way[] = [];
  for (const entry of packages) {
    const { key, line } = entry;
    const stated = 'fault' in entry ? entry.fault : draftOf(entry);
    if (stated === undefined) continue;
    const draft = reading.take(stated, line, key);
    if (draft === undefined || 'fault' in entry) continue;
    const way = wayOf(draft);
    const place = places.add(key, { entry, way });
    if (place === undefined) {
      const shown = key.slice(0, 200);
      reading.problem(
        line,
        `"${shown}" nests deeper than any package does: its edges are not read`,
        'unclear',
      );
      continue;
    }
    held.push(place);
    ways.push(way);
  }
  for (const place of held) connectPlace(place);
  const roots = rootsOf(workspaces, places);
  for (const { draft } of roots) draft.draft.direct = true;
  spreadGroupsOfWays(roots, ways);
  return reading.result();
}

const OWN = /^(?:workspace|root):/;
const VERSION = /^\d+\.\d+\.\d+/;

/** The package of an entry, or why there is none; `undefined` for the target's own. */
function draftOf({ id, registry, integrity, line }: BunEntry): PackageDraft | string | undefined {
  const at = id.indexOf('@', 1);
  if (at < 0) return 'does not begin with its name and version';
  const reference = id.slice(at + 1);
  if (OWN.test(reference)) return undefined;
  const isVersion = VERSION.test(reference);
  return draftPackage({
    ecosystem: 'npm',
    name: id.slice(0, at),
    version: isVersion ? reference : '',
    source: isVersion ? registrySource(registry) : sourceOf(reference, undefined),
    line,
    direct: false,
    integrity: parseIntegrity(integrity),
  });
}

const REGISTRY: Source = { kind: 'registry' };

function registrySource(stated: string): Source {
  return /^https?:/i.test(stated) ? { kind: 'registry', url: withoutCredentials(stated) } : REGISTRY;
}

function connectPlace(place: Place<Read>): void {
  if (place.value === undefined) return;
  const { entry, way } = place.value;
  const { peerDependencies, optionalPeers } = entry;
  const always = waysTo(entry.dependencies, place);
  const optional = waysTo(entry.optionalDependencies, place);
  if (peerDependencies.length === 0) {
    connectWay(way, always, optional);
    return;
  }
  // A peer that may be missing is needed where it is there all the same, and leaves what asks for it as it is.
  const mayMiss = new Set(optionalPeers);
  const required = peerDependencies.filter((name) => !mayMiss.has(name));
  const others = peerDependencies.filter((name) => mayMiss.has(name));
  connectWay(way, [...always, ...waysTo(required, place)], [...optional, ...waysTo(others, place)]);
}

const NONE: readonly Way[] = [];

/** What the names lead to from a place, as far as it is installed. */
function waysTo(names: readonly string[], place: Place<Read>): readonly Way[] {
  if (names.length === 0) return NONE;
  const found = new Array<Way>(names.length);
  let count = 0;
  for (const name of names) {
    const one = findUpwards(name, place);
    if (one !== undefined) found[count++] = one.way;
  }
  found.length = count;
  return found;
}

function rootsOf(workspaces: readonly BunWorkspace[], places: Places<Read>): readonly Root<Way>[] {
  return workspaces.flatMap((workspace) => {
    const from = places.at(workspace.name);
    return LISTS.flatMap(([list, groups]) =>
      workspace[list].flatMap((wanted) => {
        const found = findUpwards(wanted, from);
        return found === undefined ? [] : [{ draft: found.way, groups }];
      }),
    );
  });
}
