import type { Group } from '../../model/lockfile/lockfile.ts';
import { parseIntegrity } from '../ecosystems/npm-integrity.ts';
import { sourceOf, versionOfTarball } from '../ecosystems/npm-source.ts';
import { LockfileError } from '../errors.ts';
import type { Format, LockfileContent } from '../format.ts';
import {
  connectInstance,
  type Instance,
  newInstance,
  propagateGroupsOfInstances,
} from '../packages/instances.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { draftLockedPackage } from '../packages/package-draft.ts';
import type { Root } from '../packages/propagate-groups.ts';
import { registrySource } from '../packages/sources.ts';
import { inOnePassOr } from '../syntax/unknown-layout.ts';
import type { BunDocument, BunEntry, BunWorkspace } from './document.ts';
import { findUpwards, type Name, type Place, Places } from './places.ts';
import { readDocument } from './read-document.ts';
import { readGeneral } from './read-general.ts';

/** Bun's text lockfile. */
export const bunLock: Format = {
  name: 'bun-lock',
  title: 'bun.lock (lockfileVersion 0 to 2)',
  ecosystem: 'npm',
  fileNames: ['bun.lock'],
  unreadable: {
    'bun.lockb':
      "Bun's binary lockfile is not supported; run `bun install --save-text-lockfile` to get a bun.lock",
  },
  overriddenBy: { 'bun.lockb': 'bun.lock' },
  facts: { edges: true, groups: true, integrity: true, lines: true },
  readsInOnePass: true,
  recognises: (head) =>
    /^\s*\{\s*"lockfileVersion"\s*:\s*\d+,\s*(?:"configVersion"\s*:\s*\d+,\s*)?"workspaces"\s*:\s*\{/.test(
      head,
    ),
  read(input) {
    const { path, text } = input;
    const document = inOnePassOr(
      input,
      () => readDocument(input),
      () => readGeneral(text, path),
    );
    const version = document.lockfileVersion;
    if (version !== undefined && (typeof version !== 'number' || version < 0 || version > 9)) {
      throw new LockfileError(
        'unsupported-version',
        `${path}: lockfileVersion ${JSON.stringify(version).slice(0, 40)} is not supported; supported: 0 to 2`,
      );
    }
    return readPackages(document);
  },
};

interface Read {
  readonly entry: BunEntry;
  readonly instance: Instance;
  readonly place: Place;
}

/** Lists of the direct dependencies of a folder. */
const LISTS: readonly (readonly [Exclude<keyof BunWorkspace, 'name'>, readonly Group[]])[] = [
  ['dependencies', []],
  ['devDependencies', ['dev']],
  ['optionalDependencies', ['optional']],
  ['peerDependencies', ['peer']],
];

const NEWEST_VERSION = 2;

/** Reads the packages. Workspaces are the target itself. */
function readPackages({ lockfileVersion, packages, workspaces, nameOf }: BunDocument): LockfileContent {
  const builder = new LockfileBuilder();
  builder.checkVersion(lockfileVersion, NEWEST_VERSION);
  const places = new Places(nameOf);
  const held: Read[] = [];
  const instances: Instance[] = [];
  for (const entry of packages) {
    const { key, line } = entry;
    const stated = 'fault' in entry ? entry.fault : draftOf(entry);
    if (stated === undefined) continue;
    const draft = builder.add(stated, line, key.text);
    if (draft === undefined || 'fault' in entry) continue;
    const instance = newInstance(draft);
    const place = places.add(key, instance);
    if (place === undefined) {
      const shown = key.text.slice(0, 200);
      builder.problem(
        line,
        `"${shown}" nests too deep, or the file nests too many: its edges are not read`,
        'unclear',
      );
      continue;
    }
    held.push({ entry, instance, place });
    instances.push(instance);
  }
  for (const one of held) connectEntry(one);
  const roots = workspaces.flatMap((one) => rootsOf(one, nameOf(one.name).top ?? places.top));
  for (const { draft: instance } of roots) instance.draft.direct = true;
  propagateGroupsOfInstances(roots, instances);
  return builder.content();
}

const OWN = /^(?:workspace|root):/;
const VERSION = /^\d+\.\d+\.\d+/;

/** The package of an entry, or why it cannot be read; `undefined` for the target's own. */
function draftOf({ id, registry, integrity, line }: BunEntry): PackageDraft | string | undefined {
  const at = id.indexOf('@', 1);
  if (at < 0) return 'does not begin with its name and version';
  const reference = id.slice(at + 1);
  if (OWN.test(reference)) return undefined;
  const isVersion = VERSION.test(reference);
  const source = isVersion
    ? registrySource(/^https?:/i.test(registry) ? registry : undefined)
    : sourceOf(reference, undefined);
  return draftLockedPackage({
    ecosystem: 'npm',
    name: id.slice(0, at),
    version: isVersion ? reference : versionOfTarball(source),
    source,
    line,
    direct: false,
    integrity: parseIntegrity(integrity),
  });
}

function connectEntry({ entry, instance, place }: Read): void {
  const { peerDependencies, optionalPeers } = entry;
  const always = instancesOf(entry.dependencies, place);
  const optional = instancesOf(entry.optionalDependencies, place);
  if (optionalPeers.length === 0) {
    connectInstance(instance, joined(always, instancesOf(peerDependencies, place)), optional);
    return;
  }
  // An optional peer is an edge where it is installed.
  const mayMiss = new Set(optionalPeers);
  const required = peerDependencies.filter(({ text }) => !mayMiss.has(text));
  const others = peerDependencies.filter(({ text }) => mayMiss.has(text));
  connectInstance(
    instance,
    joined(always, instancesOf(required, place)),
    joined(optional, instancesOf(others, place)),
  );
}

function joined(some: readonly Instance[], others: readonly Instance[]): readonly Instance[] {
  return others.length === 0 ? some : [...some, ...others];
}

const NONE: readonly Instance[] = [];

/** The installed instances to which names resolve from a place. */
function instancesOf(names: readonly Name[], place: Place): readonly Instance[] {
  if (names.length === 0) return NONE;
  const found = new Array<Instance>(names.length);
  let count = 0;
  for (const name of names) {
    const one = findUpwards(name, place);
    if (one !== undefined) found[count++] = one;
  }
  found.length = count;
  return found;
}

function rootsOf(workspace: BunWorkspace, from: Place): readonly Root<Instance>[] {
  return LISTS.flatMap(([list, groups]) =>
    workspace[list].flatMap((wanted) => {
      const draft = findUpwards(wanted, from);
      return draft === undefined ? [] : [{ draft, groups }];
    }),
  );
}
