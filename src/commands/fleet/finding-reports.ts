import { openFleetStore } from '../../compose/fleet-store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { type FindingFilter, findIn, WHOLE } from './findings.ts';
import { storedReport } from './stored-report.ts';
import { comparedReport } from './target-comparison.ts';

export interface FindingReport {
  readonly report: ScanReport;
  /** Findings beyond the limit. */
  readonly omitted: number;
}

/** Reports of what is stored. */
export type FindingReports = Awaited<ReturnType<typeof openFindingReports>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openFindingReports(loaded: LoadedConfig) {
  const fleet = await openFleetStore(loaded);
  return {
    unreadable: fleet.unreadable,
    /**
     * The findings that fit as a report of a scan: at most 50,000, with all their places. Throws `FleetError` (`nothing-stored`,
     * `target-unknown`, `too-large`).
     */
    async find(filter: FindingFilter, signal: AbortSignal): Promise<FindingReport> {
      const { findings, total } = await findIn(fleet, filter, WHOLE);
      const { target } = filter;
      const targets =
        target === undefined ? [...new Set(findings.map((one) => one.target))].sort() : [target];
      const name = targets.length === 1 ? (targets[0] ?? '') : 'fleet';
      const report = await storedReport(loaded, fleet, { name, targets, findings, signal });
      return { report, omitted: total - findings.length };
    },
    /**
     * What is open in a target, as its last scan reported it: with notes and what is suppressed. Throws `FleetError` (`target-unknown`,
     * `too-large`).
     */
    async open(target: string, signal: AbortSignal): Promise<FindingReport> {
      const { findings, total } = await findIn(fleet, { target, state: 'all', notes: true }, WHOLE);
      const open = findings.filter(({ status }) => status === 'open');
      const report = await storedReport(loaded, fleet, {
        name: target,
        targets: [target],
        findings: open,
        signal,
      });
      return { report, omitted: total - findings.length };
    },
    /**
     * What changed in a target since a time (ms since 1970; default: the last scan that changed something), as a comparison. Throws
     * `FleetError` (`target-unknown`, `too-large`).
     */
    async compare(target: string, since: number | undefined, signal: AbortSignal): Promise<ScanReport> {
      const { findings } = await findIn(fleet, { target, state: 'all', notes: true }, WHOLE);
      return await comparedReport(loaded, fleet, { target, since, findings, signal });
    },
    close: fleet.close,
  };
}
