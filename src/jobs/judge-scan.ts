import type { OutcomeName } from '../model/queue/open-job.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import { imageScanOf } from '../model/scan/scan-id.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { COLLECTED_ADVISORIES, EXPANDED_DEPENDENCIES, INVENTORY, VERDICT } from '../model/stored/catalog.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import { withNewerFacts } from '../scan/known-facts.ts';
import { collectAdvisories } from './collect-advisories.ts';
import { JobError, requireSameRelease } from './errors.ts';
import { expandDependencies } from './expand-dependencies.ts';
import { type FollowUp, followUp, type Job } from './job.ts';
import { lookUpExceptions } from './look-up-exceptions.ts';
import { partNames } from './payloads/fields.ts';
import { INGEST_LOCKFILES } from './payloads/ingest-lockfiles.ts';
import { imageSteps, JUDGE_SCAN, type JudgeScan } from './payloads/judge-scan.ts';
import type { OutcomePort } from './ports.ts';
import { type ConclusionNeeds, concludeScan } from './scan/conclude-scan.ts';
import { failedRecord } from './scan/record.ts';
import { logVerdict } from './scan/record-verdict.ts';

/** Judges the facts of a scan by the rules, compares the findings with the target's state and routes the changes. */
export const judgeScan: Job<JudgeScan, Verdict, ConclusionNeeds | 'outcomes' | 'targets' | 'scans'> = {
  ...JUDGE_SCAN,
  // Judging 500,000 packages with findings takes minutes.
  limits: { attempts: 10, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 600_000, concurrency: 2 },
  resultKind: VERDICT,
  followsDirectly: true,
  async run(payload, ports, context) {
    const { scan, target, partial = false } = payload;
    const [collected, parts, previous] = await Promise.all([
      readInventory(ports.outcomes, scan),
      readParts(ports.outcomes, payload),
      ports.targets.read(target.id),
    ]);
    requireSameRelease(target.id, previous, collected.release);
    const inventory = await withNewerFacts(collected, ports.facts.versions);
    const paths = [...inventory.lockfiles, ...inventory.unread].map(({ path }) => path);
    const judged = { ...payload, ...parts, partial, paths, inventory, previous };
    const run = await concludeScan(judged, ports, context);
    const image = imageSteps({ ...payload, scan: imageScanOf(scan) }, inventory.image);
    const next = [...run.next, ...image, ...(run.state === undefined ? [] : lookUpsAfter(payload))];
    return { ...run, next, fleet: { comparedAt: context.startedAt } };
  },
  log: ({ scan }, verdict) => logVerdict(scan, verdict),
  // The verdict holds the facts, the deliveries hold the alerts, the target's state holds the findings.
  spent: (payload) => ({
    marked: [
      { job: INGEST_LOCKFILES.name, key: payload.scan },
      { job: JUDGE_SCAN.name, key: payload.scan },
    ],
    removed: Object.values(childrenOf(payload)).flat(),
  }),
  async onEnd(payload, ending, { scans }) {
    if (ending.kind === 'failed') await scans.fail(failedRecord(payload, ending.reason));
  },
};

/** Saved with the verdict: when Redis loses that, the scan is judged again, and its exceptions are looked up afterwards. */
function lookUpsAfter({ scan, target, requestedAt, lookUps: lockfiles }: JudgeScan): readonly FollowUp[] {
  return lockfiles === undefined
    ? []
    : [followUp(lookUpExceptions, { scan, target, requestedAt, lockfiles })];
}

/** The outcomes of the children: those of advisories and those of dependency graphs. */
function childrenOf({ scan: of, dividedAt, advisoryParts, expansionParts }: JudgeScan) {
  return {
    advisories: partNames(collectAdvisories.name, { of, dividedAt }, advisoryParts),
    graphs: partNames(expandDependencies.name, { of, dividedAt }, expansionParts),
  };
}

async function readInventory(outcomes: OutcomePort, scan: string): Promise<Inventory> {
  const inventory = await outcomes.read(INVENTORY, INGEST_LOCKFILES.name, scan);
  if (inventory === undefined) {
    // Redis lost the inventory, but not this job. The job that saves the inventory may run again.
    throw new JobError(
      'facts-missing',
      `the inventory of scan ${scan} is no longer in the store; scan again`,
      { retryable: true },
    );
  }
  return inventory;
}

/** The results of the children. One that failed permanently has no outcome and is a gap in the verdict. */
async function readParts(outcomes: OutcomePort, payload: JudgeScan) {
  const { advisories, graphs } = childrenOf(payload);
  const parts = <Result>(kind: StoredKind<Result>, names: readonly OutcomeName[]) =>
    Promise.all(names.map(({ job, key }) => outcomes.read(kind, job, key)));
  return {
    advisories: await parts(COLLECTED_ADVISORIES, advisories),
    graphs: await parts(EXPANDED_DEPENDENCIES, graphs),
  };
}
