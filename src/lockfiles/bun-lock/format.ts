import { isObject, type JsonObject } from '../../model/json-object.ts';
import type { Group } from '../../model/lockfile/lockfile.ts';
import { parseIntegrity, sourceOf, versionOfTarball } from '../ecosystems/npm-source.ts';
import { shownValue, unsupported } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { findUpwards, newPlace, type Place, placeIn } from '../packages/installed-tree.ts';
import { draftLockedPackage, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import type { Instance, Root } from '../packages/propagate-groups.ts';
import { connectInstance, newInstance, propagateGroupsOfInstances } from '../packages/propagate-groups.ts';
import { registrySource } from '../packages/sources.ts';
import { type CodeUnits, textOfUnits, unitsOf } from '../syntax/decode-text.ts';
import { endOfString, type LineNode } from '../syntax/json-lines.ts';
import { parseJsonLines } from '../syntax/parse-json.ts';
import { membersOf, tableIn, textIn, textsIn } from '../syntax/parse-toml.ts';

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
  read(input, builder) {
    const { path } = input;
    const { root, lines } = parseBunLock(input);
    const version = root['lockfileVersion'];
    if (version !== undefined && (typeof version !== 'number' || version < 0 || version > 9)) {
      throw unsupported(path, `lockfileVersion ${shownValue(version)}`, '0 to 2');
    }
    readPackages(root, lines?.members?.get('packages'), builder);
  },
};

/** Parses a bun.lock. Throws `LockfileError`, and `UnknownLayout` for `onePassOnly`. */
export function parseBunLock(input: Pick<LockfileInput, 'text' | 'path' | 'onePassOnly'>): {
  readonly root: JsonObject;
  readonly lines: LineNode | undefined;
} {
  const text = plainJson(input.text);
  return parseJsonLines({ ...input, text, bytes: undefined }, 'a bun.lock', WANTED);
}

const WANTED = { members: { packages: { each: {} } } };

/** An entry of `packages`: a place in the installed tree and its package. */
interface Entry {
  /** Name and reference: a version, a location, or `workspace:` and `root:` for the target's own. */
  readonly id: string;
  /** Empty for the default one. */
  readonly registry: string;
  readonly integrity: string | undefined;
  /** Has the lists of dependencies. */
  readonly details: JsonObject;
}

interface Read {
  readonly entry: Entry;
  readonly instance: Instance;
  readonly place: Place<Instance>;
}

/** Lists of the direct dependencies of a folder. */
const LISTS: readonly (readonly [string, readonly Group[]])[] = [
  ['dependencies', []],
  ['devDependencies', ['dev']],
  ['optionalDependencies', ['optional']],
  ['peerDependencies', ['peer']],
];

const NEWEST_VERSION = 2;

/** Reads the packages. Workspaces are the target itself. */
function readPackages(root: JsonObject, lines: LineNode | undefined, builder: LockfileBuilder): void {
  builder.checkVersion(root['lockfileVersion'], NEWEST_VERSION);
  const top = newPlace<Instance>(undefined);
  const placeOf = createPlaces(top);
  const held: Read[] = [];
  const instances: Instance[] = [];
  for (const [key, stated] of membersOf(root['packages'])) {
    const line = lines?.members?.get(key)?.line;
    const entry = readEntry(stated);
    const own = typeof entry === 'string' ? entry : draftOf(entry, line);
    if (own === undefined) continue;
    const draft = builder.add(own, line, key);
    if (draft === undefined || typeof entry === 'string') continue;
    const instance = newInstance(draft);
    const place = placeOf(key);
    if (place === undefined) {
      const shown = key.slice(0, 200);
      builder.problem(
        line,
        `"${shown}" nests too deep, or the file nests too many: its edges are not read`,
        'unclear',
      );
      continue;
    }
    place.value = instance;
    held.push({ entry, instance, place });
    instances.push(instance);
  }
  for (const one of held) connectEntry(one);
  const workspaces = Object.values(tableIn(root['workspaces'])).filter(isObject);
  for (const one of workspaces) builder.own(LISTS.some(([list]) => namesIn(one[list]).length > 0));
  const roots = workspaces.flatMap((one) => rootsOf(one, top));
  for (const { draft: instance } of roots) instance.draft.direct = true;
  propagateGroupsOfInstances(roots, instances);
}

/** Deeper than installed trees nest. */
const MAX_DEPTH = 65;
/** A key has a place for each of its names, so that a short file could have millions. */
const MAX_PLACES = 1_000_000;

/**
 * Returns a function that finds the place of a key: `a/@b/c/d` is the package d in `@b/c` in a. It returns `undefined` for a key
 * that nests too deep, and where there are too many places.
 */
function createPlaces(top: Place<Instance>): (key: string) => Place<Instance> | undefined {
  let count = 0;
  return (key) => {
    const names = key.match(/@[^/]*\/[^/]*|[^/]+/g) ?? [key];
    count += names.length;
    return names.length > MAX_DEPTH || count > MAX_PLACES ? undefined : names.reduce(placeIn, top);
  };
}

/**
 * Reads `[id, registry, details, integrity]`, `[id, details, tag]` or `[id]`. The registry and the tag are strings, the details
 * are an object. Returns why an entry cannot be read.
 */
function readEntry(stated: unknown): Entry | string {
  if (!Array.isArray(stated)) return 'is not a list';
  const [id, registry] = stated;
  if (typeof id !== 'string') return 'does not begin with its name and version';
  return {
    id,
    registry: textIn(registry) ?? '',
    integrity: stated.findLast((one) => typeof one === 'string' && /^sha\d+-/.test(one)),
    details: stated.find(isObject) ?? {},
  };
}

const OWN = /^(?:workspace|root):/;
const VERSION = /^\d+\.\d+\.\d+/;

/** The package of an entry, or why it cannot be read; `undefined` for the target's own. */
function draftOf(
  { id, registry, integrity }: Entry,
  line: number | undefined,
): PackageDraft | string | undefined {
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
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers } = entry.details;
  const always = instancesOf(namesIn(dependencies), place);
  const optional = instancesOf(namesIn(optionalDependencies), place);
  // An optional peer is an edge where it is installed.
  const mayMiss = new Set(textsIn(optionalPeers));
  const peers = namesIn(peerDependencies);
  connectInstance(
    instance,
    always.concat(instancesOf(mayMiss.size === 0 ? peers : peers.filter((one) => !mayMiss.has(one)), place)),
    mayMiss.size === 0
      ? optional
      : optional.concat(
          instancesOf(
            peers.filter((one) => mayMiss.has(one)),
            place,
          ),
        ),
  );
}

/** The installed instances to which names resolve from a place. */
function instancesOf(names: readonly string[], place: Place<Instance>): Instance[] {
  const found: Instance[] = [];
  for (const name of names) {
    const one = findUpwards(name, place);
    if (one !== undefined) found.push(one);
  }
  return found;
}

function namesIn(list: unknown): readonly string[] {
  return isObject(list) ? Object.keys(list) : [];
}

function rootsOf(workspace: JsonObject, top: Place<Instance>): readonly Root<Instance>[] {
  const from = top.children?.get(textIn(workspace['name']) ?? '') ?? top;
  return LISTS.flatMap(([list, groups]) =>
    instancesOf(namesIn(workspace[list]), from).map((draft) => ({ draft, groups })),
  );
}

const [NEWLINE, SPACE, QUOTE, STAR, COMMA, SLASH, CLOSE_LIST, CLOSE] = [10, 32, 34, 42, 44, 47, 93, 125];

/** The JSON in a bun.lock. Comments and trailing commas, which Bun writes or accepts, become spaces: lines and columns stay. */
function plainJson(text: string): string {
  const units = unitsOf(text);
  const { length } = text;
  let comma = -1;
  for (let at = 0; at < length; at += 1) {
    const unit = units[at] ?? 0;
    if (unit <= SPACE) continue;
    if (unit === SLASH && (units[at + 1] === SLASH || units[at + 1] === STAR)) {
      at = blankComment(units, text, at) - 1;
      continue;
    }
    if ((unit === CLOSE || unit === CLOSE_LIST) && comma >= 0) units[comma] = SPACE;
    comma = unit === COMMA ? at : -1;
    if (unit === QUOTE) at = endOfString(units, at, length);
  }
  return textOfUnits(units);
}

/** Returns the position after the comment. */
function blankComment(units: CodeUnits, text: string, start: number): number {
  const isLine = units[start + 1] === SLASH;
  const close = isLine ? text.indexOf('\n', start) : text.indexOf('*/', start + 2);
  const end = close < 0 ? text.length : close + (isLine ? 0 : 2);
  for (let at = start; at < end; at += 1) if (units[at] !== NEWLINE) units[at] = SPACE;
  return end;
}
