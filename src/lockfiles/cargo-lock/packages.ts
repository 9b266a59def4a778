import type { Integrity, Source } from '../../model/scan/lockfile.ts';
import { reportNewerVersion } from '../newer-version.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import { Reading } from '../reading.ts';
import { membersOf, type Table, tablesIn, textIn, textsIn } from '../syntax/parse-toml.ts';
import { tableLines } from '../syntax/table-lines.ts';
import { sourceOf } from './source.ts';

/** An entry of the file; without a draft it is the target's own crate, or one that cannot be read. */
interface Crate {
  readonly table: Table;
  readonly own: boolean;
  readonly draft: PackageDraft | undefined;
}

const NEWEST_VERSION = 4;

/** Reads the packages; those without a source are the target's own crates, whose dependencies are direct. */
export function readPackages(root: Table, text: string) {
  const reading = new Reading();
  reportNewerVersion(reading.problem.bind(reading), root['version'], NEWEST_VERSION);
  const lines = tableLines(text, 'package');
  const checksums = oldChecksums(root);
  // Before version 2 of Cargo the target itself had a table of its own.
  const own = root['root'] === undefined ? [] : tablesIn([root['root']]);
  const crates: Crate[] = own.map((table) => ({ table, own: true, draft: undefined }));
  for (const [index, table] of tablesIn(root['package']).entries()) {
    crates.push(readCrate(table, lines(index), { reading, checksums }));
  }
  const find = finderOf(crates);
  for (const { table, own: isOwn, draft } of crates) {
    const needed = textsIn(table['dependencies']).flatMap((stated) => find(stated) ?? []);
    if (draft !== undefined) connect(draft, [...new Set(needed.map(({ id }) => id))]);
    if (isOwn) for (const one of needed) one.direct = true;
  }
  return reading.result();
}

function readCrate(
  table: Table,
  line: number | undefined,
  { reading, checksums }: { readonly reading: Reading; readonly checksums: ReadonlyMap<string, string> },
): Crate {
  const { name, version, source, checksum } = table;
  if (typeof name !== 'string' || typeof version !== 'string') {
    reading.problem(line, `package ${JSON.stringify(name ?? '')} has no name or no version`);
    return { table, own: false, draft: undefined };
  }
  if (source === undefined) return { table, own: true, draft: undefined };
  // Another crate is built in its place, by the `[replace]` of old manifests.
  if (typeof table['replace'] === 'string') return { table, own: false, draft: undefined };
  const from: Source = sourceOf(textIn(source) ?? '');
  const digest = textIn(checksum) ?? checksums.get(`${name} ${version} (${textIn(source)})`);
  const integrity: Integrity[] = [];
  if (digest !== undefined && /^[0-9a-f]{64}$/i.test(digest))
    integrity.push({ algorithm: 'sha256', value: digest, encoding: 'hex' });
  const read = draftPackage({
    ecosystem: 'cargo',
    name,
    version,
    source: from,
    line,
    direct: false,
    integrity,
  });
  return { table, own: false, draft: reading.take(read, line, name) };
}

/** Version 1 keeps the checksums at the end: `"checksum name version (source)" = "…"`. */
function oldChecksums(root: Table): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of membersOf(root['metadata'])) {
    if (key.startsWith('checksum ') && typeof value === 'string') found.set(key.slice(9), value);
  }
  return found;
}

/** Dependencies are stated as `name`, `name version` or `name version (source)`: as much as tells them apart. */
function finderOf(crates: readonly Crate[]): (stated: string) => PackageDraft | undefined {
  const index = indexOf(crates);
  return (stated) => {
    const wanted = index.get(keyOf(stated));
    const replacement = textIn(wanted?.table['replace']);
    return replacement === undefined ? wanted?.draft : index.get(keyOf(replacement))?.draft;
  };
}

function keyOf(stated: string): string {
  const [name = '', version, source] = stated.split(' ', 3);
  if (version === undefined) return name;
  return source === undefined
    ? `${name} ${version}`
    : `${name} ${version} ${withoutCommit(source.slice(1, -1))}`;
}

/**
 * Crates by all that may be stated of them. Of several with one name and version the target's own comes first: the others
 * are stated with their sources.
 */
function indexOf(crates: readonly Crate[]): ReadonlyMap<string, Crate> {
  const index = new Map<string, Crate>();
  for (const crate of [...crates.filter(({ own }) => own), ...crates.filter(({ own }) => !own)]) {
    const { name, version, source } = crate.table;
    const keys = [textIn(name) ?? '', `${textIn(name)} ${textIn(version)}`];
    if (!crate.own) keys.push(`${textIn(name)} ${textIn(version)} ${withoutCommit(textIn(source))}`);
    for (const key of keys) if (!index.has(key)) index.set(key, crate);
  }
  return index;
}

/** Since version 2 the source of a git package stands without the commit in dependencies. */
function withoutCommit(source: string | undefined): string {
  return source?.startsWith('git+') === true ? source.replace(/#.*$/s, '') : (source ?? '');
}
