import { parseIntegrity } from '../ecosystems/npm-integrity.ts';
import { isLocation, sourceOf } from '../ecosystems/npm-source.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { draftLockedPackage } from '../packages/package-draft.ts';
import type { Entry } from './entry.ts';
import { groupsOf } from './groups.ts';

export interface EntryPlace {
  /** Name of the folder it is installed in: the package's own name, unless it is an alias. */
  readonly folder: string;
  readonly line: number | undefined;
  /** `false` as long as nothing of the target is known to ask for it; `undefined` when that cannot be known. */
  readonly direct: false | undefined;
}

const ALIAS = /^npm:((?:@[^/@]+\/)?[^@]+)(?:@(.+))?$/;

/** Reads an entry as a package; gives the reason when it cannot be one. Each field is looked at once. */
export function readEntry(entry: Entry, { folder, line, direct }: EntryPlace): PackageDraft | string {
  const { version: stated, resolved, integrity, name: realName } = entry;
  if (!isText(stated)) return wrongType('version');
  // npm writes `"resolved": false` for what it could not find out.
  if (!isText(resolved) && resolved !== false) return wrongType('resolved');
  if (!isText(integrity)) return wrongType('integrity');
  if (!isText(realName)) return wrongType('name');
  const isAlias = stated?.startsWith('npm:') === true;
  const alias = isAlias ? ALIAS.exec(stated) : null;
  if (isAlias && alias === null) return 'is an alias that names no package';
  const name = realName ?? alias?.[1] ?? folder;
  const version = alias === null ? (isLocation(stated) ? '' : (stated ?? '')) : (alias[2] ?? '');
  const source = sourceOf(resolved === false ? undefined : resolved, stated);
  return draftLockedPackage({
    ecosystem: 'npm',
    name,
    version,
    direct,
    groups: groupsOf(entry),
    integrity: parseIntegrity(integrity),
    source,
    line,
  });
}

function isText(value: unknown): value is string | undefined {
  return typeof value === 'string' || value === undefined;
}

function wrongType(field: string): string {
  return `has a \`${field}\` that is not a string`;
}
