import type { Integrity, Source } from '../../model/lockfile.ts';
import { connect, type PackageDraft } from '../package-collector.ts';
import { draftPackage } from '../package-draft.ts';
import { membersOf, type Table, tablesIn, textIn, textsIn } from '../parse-toml.ts';
import { Reading } from '../reading.ts';
import { tableLines } from '../table-lines.ts';
import { sourceOf } from './source.ts';

/** An entry of the file; without a draft it is the target's own crate, or one that cannot be read. */
interface Crate {
  readonly table: Table;
  readonly own: boolean;
  readonly draft: PackageDraft | undefined;
}

/** Reads the packages; those without a source are the target's own crates, whose dependencies are direct. */
export function readPackages(root: Table, text: string) {
  const reading = new Reading();
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
  const byName = Map.groupBy(crates, ({ table }) => textIn(table['name']) ?? '');
  return (stated) => {
    const [name = '', version, source] = stated.split(' ', 3);
    const wanted = (byName.get(name) ?? []).filter(({ table }) => {
      if (version !== undefined && table['version'] !== version) return false;
      return source === undefined || `(${withoutCommit(textIn(table['source']))})` === source;
    });
    return (wanted.find(({ draft }) => draft !== undefined) ?? wanted[0])?.draft;
  };
}

/** In dependencies the source of a git package stands without the commit. */
function withoutCommit(source: string | undefined): string {
  return source?.startsWith('git+') === true ? source.replace(/#.*$/, '') : (source ?? '');
}
