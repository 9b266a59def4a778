import type { LoadedConfig } from '../../config/load.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { unknownTarget } from '../../operations/context.ts';
import { findingReport } from '../../operations/findings/report.ts';
import { selectFindings } from '../../operations/findings/select.ts';
import { openLocalContext } from '../../operations/local-context.ts';
import { LOCAL_OPERATOR } from '../../operations/principal.ts';
import { comparedReport } from './target-comparison.ts';

/** Reports of what is stored of one target. */
export type FindingReports = Awaited<ReturnType<typeof openFindingReports>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openFindingReports(loaded: LoadedConfig) {
  const context = await openLocalContext(loaded);
  const { fleet } = context;
  const requireStored = async (target: string): Promise<void> => {
    const { targets } = await context.snapshot({ target });
    if (!targets.has(target)) throw await unknownTarget(context, LOCAL_OPERATOR, target);
  };
  return {
    unreadable: fleet.unreadable,
    /** What is open in a target, as its last scan reported it: with notes and what is suppressed. Throws `Refusal`. */
    async open(target: string, signal: AbortSignal): Promise<ScanReport> {
      await requireStored(target);
      const filters = { target, state: 'all', notes: true } as const;
      return await findingReport(context, filters, LOCAL_OPERATOR, signal, ({ status }) => status === 'open');
    },
    /**
     * What changed in a target since a time (ms since 1970; default: the last scan that changed something), as a comparison. Throws
     * `Refusal`.
     */
    async compare(target: string, since: number | undefined, signal: AbortSignal): Promise<ScanReport> {
      await requireStored(target);
      const findings = await selectFindings(context, { target, state: 'all', notes: true }, LOCAL_OPERATOR);
      return await comparedReport(loaded, fleet, { target, since, findings, signal });
    },
    close: context.close,
  };
}
