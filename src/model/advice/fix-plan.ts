import type { JudgedException } from '../scan/exception.ts';
import type { Fix, FixChange } from './fix.ts';

/** Changes that clear findings together. */
export interface FixStep {
  readonly changes: readonly FixChange[];
  readonly commands: readonly string[];
  /** Ids of packages, with the number of findings that the step clears. */
  readonly clears: readonly { readonly id: string; readonly findings: number }[];
}

/** A package whose findings stay. */
export interface Staying {
  readonly id: string;
  readonly findings: number;
  readonly kind: Fix['kind'];
  readonly reason: string;
  readonly until?: string;
}

/** The changes of one lockfile that clear findings. */
export interface FixPlan {
  readonly path: string;
  /** The step that clears most findings for each change first; overrides last. */
  readonly steps: readonly FixStep[];
  /** The commands of all steps, with as few commands as possible. */
  readonly commands: readonly string[];
  /**
   * Further steps, to make after the others: upgrades of direct dependencies to another major line, which can need changes of the code.
   * `commands` of the plan does not have theirs.
   */
  readonly breaking: { readonly steps: readonly FixStep[]; readonly commands: readonly string[] };
  readonly stays: readonly Staying[];
}

/** The commands that take exceptions away without which a lockfile stays as it is. */
export interface RemovalPlan {
  readonly path: string;
  readonly removes: readonly JudgedException[];
  readonly commands: readonly string[];
}

/** Why a package of a lockfile has no advice, although it has findings. */
export interface Unadvised {
  readonly path: string;
  /** Empty when the reason concerns the lockfile. */
  readonly id: string;
  readonly reason: string;
}
