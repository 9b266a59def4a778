import { indexByName } from '../packages/name-index.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import type { Reading } from '../reading.ts';
import { normalizedName } from './python-names.ts';

/** Packages of PyPI by their names, however these are spelt there and where they are asked for. */
export function indexByPythonName(
  drafts: Iterable<PackageDraft>,
  reading: Reading,
): (name: string) => readonly PackageDraft[] {
  const named = indexByName(drafts, ({ name }) => normalizedName(name), reading);
  return (name) => named(normalizedName(name));
}
