import type { FleetStore } from '../../compose/fleet-store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import type { PastScan } from '../../model/fleet/past-scan.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { storedReport } from '../../operations/findings/stored-report.ts';

export interface TargetQuestion {
  readonly target: string;
  /** ms since 1970. Default: the last scan that changed something. */
  readonly since: number | undefined;
  /** All findings of the target, with notes and resolved ones. */
  readonly findings: readonly FleetFinding[];
  readonly signal: AbortSignal;
}

/**
 * What is stored of a target, compared with what it was at a time: new is what opened, reopened or worsened since then, gone what was
 * open and is resolved. Throws `FleetError` (`too-large`).
 */
export async function comparedReport(
  loaded: LoadedConfig,
  fleet: FleetStore,
  { target, since, findings, signal }: TargetQuestion,
): Promise<ScanReport> {
  const open = findings.filter(({ status }) => status === 'open');
  const report = await storedReport(loaded, fleet, {
    name: target,
    targets: [target],
    findings: open,
    signal,
  });
  const state = await fleet.of(target).targets.read(target);
  const from = since ?? lastChange(state?.history ?? [], report.verdict.requestedAt);
  const isSince = (time: string): boolean => Date.parse(time) >= from;
  const introduced = open
    .filter(
      ({ openedAt, changedAt, finding }) =>
        isSince(openedAt) || (isSince(changedAt) && finding.suppressed === undefined),
    )
    .map(({ finding }) => finding.fingerprint);
  const gone = findings.filter(
    ({ status, openedAt, changedAt }) => status === 'resolved' && isSince(changedAt) && !isSince(openedAt),
  );
  return {
    ...report,
    comparison: {
      base: { kind: 'time', name: new Date(from).toISOString() },
      introduced,
      refused: [],
      gone: gone.map(({ finding }) => finding),
      newGaps: report.verdict.gaps,
      baseGaps: 0,
    },
  };
}

/** When the newest scan that changed something was requested; where none did, when the last scan was. */
function lastChange(history: readonly PastScan[], requestedAt: string): number {
  return Date.parse(history.find(({ changes }) => changes !== undefined)?.requestedAt ?? requestedAt);
}
