import { isObject } from '../../model/json-object.ts';
import type { Group } from '../../model/lockfile/lockfile.ts';
import {
  isLocation,
  parseIntegrity,
  registryName,
  sourceOf,
  versionOfTarball,
} from '../ecosystems/npm-source.ts';
import { draftLockedPackage } from '../packages/lockfile-builder.ts';
import type { PackageDraft } from '../packages/package-collector.ts';

/** Members that list dependencies by name. */
export const LISTS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'] as const;

type Field =
  | (typeof LISTS)[number]
  | ('name' | 'version' | 'resolved' | 'integrity' | 'workspaces' | 'requires' | 'packages')
  | ('link' | 'dev' | 'optional' | 'devOptional' | 'peer' | 'inBundle' | 'bundled' | 'hasInstallScript')
  | 'lockfileVersion';

/** An object of the file: an entry, a manifest or the root. Its fields are unchecked; none is a property of Object.prototype. */
export type Entry = Readonly<Partial<Record<Field, unknown>>>;

export function isEntry(value: unknown): value is Entry {
  return isObject(value);
}

/** The keys of an object. They come from the file: use them as keys of a `Map` only. */
export function keysOf(value: unknown): readonly string[] {
  return isEntry(value) ? Object.keys(value) : NOTHING;
}

const NOTHING: readonly never[] = [];

interface EntryPlace {
  /** Name of the folder of the package: its name, unless it is an alias. */
  readonly folder: string;
  readonly line: number | undefined;
  /** `false` until a direct dependency is found; `undefined` when the direct dependencies are unknown. */
  readonly direct: false | undefined;
}

const ALIAS = /^npm:((?:@[^/@]+\/)?[^@]+)(?:@(.+))?$/;

/** Returns the package of an entry, or why it cannot be read. */
export function readEntry(entry: Entry, { folder, line, direct }: EntryPlace): PackageDraft | string {
  const { version: stated, resolved, integrity, name: realName } = entry;
  if (!isText(stated)) return wrongType('version');
  // npm writes `"resolved": false` where it does not know the location.
  if (!isText(resolved) && resolved !== false) return wrongType('resolved');
  if (!isText(integrity)) return wrongType('integrity');
  if (!isText(realName)) return wrongType('name');
  const isAlias = stated?.startsWith('npm:') === true;
  const alias = isAlias ? ALIAS.exec(stated) : null;
  if (isAlias && alias === null) return 'is an alias without the name of a package';
  const name = realName ?? alias?.[1] ?? folder;
  const version = alias === null ? (isLocation(stated) ? '' : (stated ?? '')) : (alias[2] ?? '');
  const source = sourceOf(resolved === false ? undefined : resolved, stated);
  // Where the URL alone says what it is, as for a direct dependency on a tarball of a registry.
  const isInUrl = version === '';
  return draftLockedPackage({
    ecosystem: 'npm',
    name: isInUrl && realName === undefined ? registryName(source, name) : name,
    version: isInUrl ? versionOfTarball(source) : version,
    direct,
    groups: groupsOf(entry),
    integrity: parseIntegrity(integrity),
    installScript: entry.hasInstallScript === true,
    source,
    line,
  });
}

const DEV: readonly Group[] = ['dev'];

/** `devOptional`: a development dependency of one package and an optional one of another, so it is in both groups. */
function groupsOf(entry: Entry): readonly Group[] {
  const either = entry.devOptional === true;
  const isDev = either || entry.dev === true;
  const isOptional = either || entry.optional === true;
  const isPeer = entry.peer === true;
  const isBundled = entry.inBundle === true || entry.bundled === true;
  // Nearly all packages are in one of these, and a list of its own for each takes time and memory.
  if (!isOptional && !isPeer && !isBundled) return isDev ? DEV : NOTHING;
  const groups: Group[] = isDev ? ['dev'] : [];
  if (isOptional) groups.push('optional');
  if (isPeer) groups.push('peer');
  if (isBundled) groups.push('bundled');
  return groups;
}

function isText(value: unknown): value is string | undefined {
  return typeof value === 'string' || value === undefined;
}

function wrongType(field: string): string {
  return `has a \`${field}\` that is not a string`;
}
