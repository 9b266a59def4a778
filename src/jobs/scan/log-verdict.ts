import { mayHide } from '../../model/scan/gap.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import type { LogFacts } from '../job.ts';

/** Gaps that a log line names. */
const MAX_LOGGED_GAPS = 5;

/** The log fields of a judged scan, with a warning when it is incomplete. */
export function logVerdict(scan: string, verdict: Verdict): LogFacts {
  const { target, counts, changes, gaps, partial, kept, superseded } = verdict;
  const { lockfiles, packages, severities } = counts;
  const facts = {
    scan,
    target: target.id,
    lockfiles,
    packages,
    findings: severities,
    changes: changes.length,
    kept,
    gaps: gaps.length,
    partial: partial || undefined,
    superseded: superseded || undefined,
  };
  const hiding = gaps.filter(mayHide);
  if (hiding.length === 0) return { facts };
  return {
    facts: {
      ...facts,
      firstGaps: hiding
        .slice(0, MAX_LOGGED_GAPS)
        .map(({ subject, reason }) => `${subject}: ${reason.slice(0, 200)}`),
    },
    warning: 'the scan is incomplete and resolves only findings that are provably gone',
  };
}
