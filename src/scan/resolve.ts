import { defined } from '../model/defined.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Inventory, Resolution, ResolvedLockfile, ResolvedPackage } from '../model/scan/inventory.ts';
import { inSlices } from '../model/yielding.ts';
import { type Attempt, IncompleteError } from './attempt.ts';
import { type AllRead, packagesIn, type ReadFile } from './read.ts';

export interface ResolveOptions {
  readonly insights: Pick<Insights, 'resolve'>;
  /** When the packages are looked up; ms since 1970. */
  readonly readAt: number;
  /** Whether the inventory holds digests and sources of packages, which are half of a stored one. */
  readonly keepsArtifacts: boolean;
}

interface Resolved {
  readonly inventory: Inventory;
  /** One for each package of the lockfiles, in order. */
  readonly resolutions: readonly Resolution[];
}

/**
 * Gives each package of the lockfiles its outcome. Throws `IncompleteError`; at the last attempt, packages that could not be looked up are `failed`.
 */
export async function resolveLockfiles(
  files: AllRead,
  { insights, readAt, keepsArtifacts }: ResolveOptions,
  attempt: Attempt,
): Promise<Resolved> {
  const packages = packagesIn(files);
  const answer = await insights.resolve(packages, {
    signal: attempt.signal,
    progress: (done, total) => attempt.progress({ step: 'resolve', done, total }),
  });
  if (answer.retryable && !attempt.lastAttempt) throw incomplete(answer.resolutions, answer.retryAfterMs);
  const { resolutions } = answer;
  const lockfiles = await withResolutions(files.read, resolutions, keepsArtifacts);
  const { outdated } = answer;
  return { inventory: { lockfiles, unread: files.unread, readAt, ...defined({ outdated }) }, resolutions };
}

async function withResolutions(
  files: readonly ReadFile[],
  resolutions: readonly Resolution[],
  keepsArtifacts: boolean,
): Promise<readonly ResolvedLockfile[]> {
  let next = 0;
  const inventories: ResolvedLockfile[] = [];
  for (const { path, sha256, lockfile, suppressions, owners, exceptions } of files) {
    const { format, problems } = lockfile;
    const packages: ResolvedPackage[] = [];
    for await (const slice of inSlices(lockfile.packages)) {
      for (const locked of slice) packages.push(withResolution(locked, resolutions[next++], keepsArtifacts));
    }
    inventories.push({
      path,
      sha256,
      format,
      packages,
      problems,
      ...(suppressions.length === 0 ? {} : { suppressions }),
      ...(owners.length === 0 ? {} : { owners }),
      ...(exceptions.length === 0 ? {} : { exceptions: [...exceptions] }),
    });
  }
  return inventories;
}

function withResolution(
  locked: LockedPackage,
  resolution: Resolution | undefined,
  keepsArtifacts: boolean,
): ResolvedPackage {
  if (resolution === undefined) throw new RangeError(`no resolution for ${locked.purl}`);
  if (keepsArtifacts) return { ...locked, resolution };
  const { id, ecosystem, name, version, purl, direct, groups, line, dependencies } = locked;
  return { id, ecosystem, name, version, purl, direct, groups, line, dependencies, resolution };
}

function incomplete(resolutions: readonly Resolution[], retryAfterMs: number | undefined): IncompleteError {
  const failed = resolutions.filter((resolution) => resolution.outcome === 'failed');
  const reason = failed[0]?.reason ?? 'unknown reason';
  return new IncompleteError(
    'lookups-incomplete',
    `${failed.length} of ${resolutions.length} packages could not be looked up: ${reason}`,
    { retryAfterMs, open: failed.length },
  );
}
