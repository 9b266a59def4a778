import type { Integrity, LockedPackage, Source } from '../../model/lockfile/lockfile.ts';
import { printable } from '../../model/printable.ts';
import type { ChangeAspect, PackageChange } from '../../model/review/package-change.ts';

export const ASPECT_WORDS: Readonly<Record<ChangeAspect, string>> = {
  integrity: 'integrity changed',
  moved: 'moved',
  'install-script': 'new install script',
  'integrity-lost': 'integrity lost',
  licence: 'licence changed',
  downgraded: 'down',
  added: 'added',
  changed: 'changed',
  upgraded: 'up',
  removed: 'removed',
};

/** Aspects that a reviewer has to look at. */
export const NOTABLE: ReadonlySet<ChangeAspect> = new Set([
  'integrity',
  'moved',
  'install-script',
  'integrity-lost',
  'downgraded',
]);

/** `1.0.0 → 1.1.0`, or the one version that there is. */
export function versionsText({ before, after }: PackageChange): string {
  const [old, current] = [before && versionOf(before), after && versionOf(after)];
  if (old === undefined || current === undefined || old === current) return current ?? old ?? '';
  return `${old} → ${current}`;
}

/** The detail of an aspect; empty for those that the versions show. */
export function aspectDetail(aspect: ChangeAspect, change: PackageChange): string {
  const { before, after, licences } = change;
  if (before !== undefined && after !== undefined) {
    if (aspect === 'moved') return `from ${sourceText(before.source)} to ${sourceText(after.source)}`;
    if (aspect === 'integrity') return integrityDetail(before, after);
    if (aspect === 'integrity-lost') return `${algorithms(before)} before, ${algorithms(after)} now`;
  }
  if (aspect === 'licence') return `from ${licenceText(licences?.before)} to ${licenceText(licences?.after)}`;
  return aspect === 'install-script' ? 'it runs a script when it is installed' : '';
}

/** `MIT, Apache-2.0`. */
export function licenceText(licences: readonly string[] | undefined): string {
  return licences === undefined || licences.length === 0 ? 'unknown' : printable(licences.join(', '));
}

function versionOf({ version, source }: LockedPackage): string {
  const commit = source.kind === 'git' ? source.commit?.slice(0, 12) : undefined;
  return printable([version, commit].filter((part) => part !== undefined && part !== '').join(' '));
}

function sourceText(source: Source): string {
  switch (source.kind) {
    case 'registry':
      return source.url === undefined ? 'the registry' : printable(source.url);
    case 'path':
      return `the folder ${printable(source.path)}`;
    default:
      return printable(source.url);
  }
}

function integrityDetail(before: LockedPackage, after: LockedPackage): string {
  const [old, current] = [onlyIn(before, after), onlyIn(after, before)];
  return `the same version had ${digestsText(old)} and now has ${digestsText(current)}`;
}

function onlyIn({ integrity }: LockedPackage, other: LockedPackage): readonly Integrity[] {
  const known = new Set(other.integrity.map(({ value }) => value));
  return integrity.filter(({ value }) => !known.has(value));
}

const DIGEST_CHARACTERS = 16;

function digestsText(digests: readonly Integrity[]): string {
  const [first] = digests;
  if (first === undefined) return 'none';
  const shown = `${first.algorithm} ${first.value.slice(0, DIGEST_CHARACTERS)}…`;
  return printable(digests.length === 1 ? shown : `${shown} and ${digests.length - 1} more`);
}

function algorithms({ integrity }: LockedPackage): string {
  const names = [...new Set(integrity.map(({ algorithm }) => algorithm))];
  return names.length === 0 ? 'none' : printable(names.join(', '));
}
