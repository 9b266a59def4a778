import type { ProjectStatement, StatedCooldown } from '../../model/advice/project-statement.ts';
import type { LockedPackage as ReadPackage } from '../../model/lockfile/lockfile.ts';
import type { PublishedVersion } from '../../model/ports/insights.ts';
import type { LockfileProof } from '../../model/scan/exception.ts';

export type LockedPackage = Omit<ReadPackage, 'integrity' | 'source'> & Partial<Pick<ReadPackage, 'source'>>;

/** A lockfile, with what it and the files beside it state. */
export interface LockfileEvidence {
  readonly path: string;
  readonly format: string;
  readonly packages: readonly LockedPackage[];
  /** Whether `packages` are all that it has. */
  readonly isWhole: boolean;
  readonly text: string;
  /** The texts of the files beside it. */
  readonly others: readonly string[];
  /** The requirements of npm packages; absent where nothing is known of them. */
  readonly statement?: ProjectStatement | undefined;
  /** The cooldown of its package manager; absent where it is not known. */
  readonly cooldown?: StatedCooldown | undefined;
  /** The releases of a package that its manager may select; absent where they were not looked up. */
  publishedOf?(name: string): readonly PublishedVersion[] | undefined;
}

/** Returns the locked version, and the age of releases that may be selected: only a newer release could make a difference. */
export function newest(locked = '', { cooldown }: Pick<LockfileEvidence, 'cooldown'>) {
  return cooldown === undefined || cooldown.before !== undefined
    ? { locked }
    : { locked, minutes: cooldown.minutes };
}

export const needed = (evidence: string): LockfileProof => ({ verdict: 'needed', evidence });
export const removable = (evidence: string): LockfileProof => ({ verdict: 'removable', evidence });
export const unproven = (evidence: string): LockfileProof => ({ verdict: 'unknown', evidence });
