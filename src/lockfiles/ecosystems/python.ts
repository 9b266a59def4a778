import type { Integrity } from '../../model/lockfile/lockfile.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { indexByName } from '../packages/name-index.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { type Table, textIn } from '../syntax/parse-toml.ts';

/** A Python package name, normalised as PEP 503 says. */
export function normalizedName(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase();
}

const REQUIREMENT_NAME = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)/;

/** The normalised name at the beginning of a PEP 508 requirement. */
export function requirementName(requirement: string): string | undefined {
  const name = REQUIREMENT_NAME.exec(requirement)?.[1];
  return name === undefined ? undefined : normalizedName(name);
}

/** Returns the PyPI packages of a name in any spelling. */
export function indexByPythonName(
  entries: readonly { readonly draft: PackageDraft | undefined }[],
  builder: LockfileBuilder,
): (name: string) => readonly PackageDraft[] {
  const drafts = entries.flatMap(({ draft }) => draft ?? []);
  const find = indexByName(drafts, ({ name }) => normalizedName(name), builder);
  return (name) => find(normalizedName(name));
}

/** The last of the normalised names of entries. Files are sorted by them, so a package of a later name is one that was cut off. */
export function lastName(entries: readonly { readonly table: Table }[]): string {
  return entries.reduce((last, { table }) => {
    const name = normalizedName(textIn(table['name']) ?? '');
    return name > last ? name : last;
  }, '');
}

/** Parses digests in the form `sha256:<hex>` or `sha256=<hex>`, without repeats, in their order. */
export function parseDigests(digests: readonly string[]): readonly Integrity[] {
  return [...new Set(digests)].flatMap((digest): readonly Integrity[] => {
    const [, algorithm, value] = /^([a-z0-9_]+)[:=]([0-9a-f]+)$/i.exec(digest.trim()) ?? [];
    if (algorithm === undefined || value === undefined) return [];
    return [{ algorithm: algorithm.toLowerCase(), value, encoding: 'hex' }];
  });
}
