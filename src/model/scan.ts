import type { Change } from './change.ts';
import type { Finding, Severity } from './finding.ts';
import type { Outcome } from './resolution.ts';
import type { Target } from './target.ts';

/** Something the scan could not find out; the rest of it stands (promise 3). */
export interface Gap {
  readonly kind: 'lockfile' | 'entry' | 'package' | 'advisory' | 'dependencies' | 'document';
  /** File (with line), purl, advisory id, version key or API. */
  readonly subject: string;
  readonly reason: string;
}

/** What `judge-scan` makes of a scan. */
export interface Verdict {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly findings: readonly Finding[];
  readonly changes: readonly Change[];
  readonly gaps: readonly Gap[];
  readonly counts: {
    readonly lockfiles: number;
    readonly packages: number;
    readonly outcomes: Readonly<Record<Outcome, number>>;
    readonly severities: Readonly<Record<Severity, number>>;
  };
  /** True when a newer scan of the target was judged before this one: it then changes nothing. */
  readonly superseded: boolean;
  /** Positions in `changes` that go by each route. */
  readonly routed?: Readonly<Record<string, readonly number[]>>;
}
