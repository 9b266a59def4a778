import type { Finding } from '../model/finding.ts';
import type { Gap, Verdict } from '../model/scan.ts';
import type { Target } from '../model/target.ts';
import { compareFindings } from '../policy/changes.ts';
import type { FollowUp, JobRun } from './job.ts';
import type { Ports } from './ports.ts';

/** Everything that a scan found, before it is compared with what is remembered. */
export interface JudgedScan {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly findings: readonly Finding[];
  /** Whether the scan could not find out if a remembered finding still holds. */
  readonly unknown: (finding: Finding) => boolean;
  readonly gaps: readonly Gap[];
  readonly counts: (findings: readonly Finding[]) => Verdict['counts'];
}

/**
 * Compares a scan's findings with the target's state and hands the changes to every route they go by. The new state is
 * saved together with the verdict, or not at all.
 */
export async function concludeScan(
  judged: JudgedScan,
  { targets, notifier }: Pick<Ports, 'targets' | 'notifier'>,
): Promise<JobRun<Verdict>> {
  const { scan, target, requestedAt, findings, unknown, gaps } = judged;
  const previous = await targets.read(target.id);
  const compared = compareFindings(previous, findings, { scan, requestedAt, unknown });
  const result: Verdict = {
    scan,
    target,
    requestedAt,
    findings: compared.findings,
    changes: compared.changes,
    gaps,
    counts: judged.counts(compared.findings),
    superseded: compared.superseded,
  };
  if (compared.superseded) return { result, next: [] };
  const replaces = previous?.revision ?? 0;
  const state = { revision: replaces + 1, scan, requestedAt, findings: compared.tracked };
  return {
    result,
    next: compared.changes.length === 0 ? [] : deliveries(judged, notifier.routes()),
    state: { target: target.id, replaces, state },
  };
}

function deliveries(
  { scan, target, requestedAt }: JudgedScan,
  routes: readonly string[],
): readonly FollowUp[] {
  return routes.map((route) => ({
    job: 'deliver-notification',
    payload: { scan, target: target.id, route, requestedAt },
  }));
}
