import type { System } from '../lockfile/ecosystem.ts';

/**
 * The kind of a gap.
 *
 * - `lockfile`: a lockfile that was not read.
 * - `manifest`: a manifest that names packages and has no lockfile.
 * - `entry`: a part of one that was not read: packages may be missing.
 * - `detail`: a fact about its packages that it does not state, such as a version.
 * - `package`: a package that was not looked up.
 * - `coverage`: a package that the local data set does not cover.
 * - `service`: the look-up service does not know most of what it knew, or states no advisories at all.
 * - `source`: packages of which the sources of the scan know advisories alone.
 * - `advisory`, `dependencies`: what could not be fetched or read.
 * - `image`: the base of a container image, which could not be looked up.
 * - `signal`: a fact that the inspection of a new package version could not get.
 * - `rule`: a package that a rule failed on, or could not judge with what is known.
 * - `document`: a published description document.
 * - `cut`: findings that an answer leaves out, because there are too many.
 */
export const GAP_KINDS = [
  'lockfile',
  'manifest',
  'entry',
  'detail',
  'package',
  'coverage',
  'service',
  'source',
  'advisory',
  'dependencies',
  'image',
  'signal',
  'rule',
  'document',
  'cut',
] as const;

/** A fact that the scan could not determine; the rest of the scan is valid (promise 3). */
export interface Gap {
  readonly kind: (typeof GAP_KINDS)[number];
  /** File (with line), purl, advisory id, version key or API. */
  readonly subject: string;
  readonly reason: string;
}

const HIDING: ReadonlySet<Gap['kind']> = new Set([
  'lockfile',
  'entry',
  'package',
  'coverage',
  'service',
  'rule',
  'document',
  'cut',
]);

/** Whether a scan without this gap might have more findings. */
export function mayHide({ kind }: Gap): boolean {
  return HIDING.has(kind);
}

/** Whether a scan with these gaps saw everything that decides which findings there are. */
export function isComplete(gaps: readonly Gap[]): boolean {
  return !gaps.some(mayHide);
}

/** The gaps that another scan with the same configuration might not have. Which sources and lockfiles there are is a choice. */
export function faultsIn(gaps: readonly Gap[]): readonly Gap[] {
  return gaps.filter(({ kind }) => kind !== 'source' && kind !== 'manifest');
}

/** Well-known versions of a system of which an index does not state what every index states. */
export interface Lacking {
  readonly system: System;
  /** `versions`: the index does not have them. `advisories`: it states no advisory of them. */
  readonly what: 'versions' | 'advisories';
  /** `name version` of each. */
  readonly versions: readonly string[];
}
