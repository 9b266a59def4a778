import { imageScanOf } from '../model/image/image-scan.ts';
import type { OutcomeName } from '../model/queue/spent-outcomes.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { COLLECTED_ADVISORIES, EXPANDED_DEPENDENCIES, INVENTORY, VERDICT } from '../model/stored/catalog.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import { advisoriesOf, knownAdvisories, referredAdvisories } from '../scan/advisories.ts';
import { graphsIn } from '../scan/graphs.ts';
import { inspectionsByPurl } from '../scan/known-inspections.ts';
import { withNewerFacts } from '../scan/newer-facts.ts';
import { COLLECT_ADVISORIES } from './collect-advisories.ts';
import { JobError } from './errors.ts';
import { EXPAND_DEPENDENCIES } from './expand-dependencies.ts';
import type { Job } from './job.ts';
import { partKey } from './payloads/fields.ts';
import { imageSteps } from './payloads/find-base-image.ts';
import { INGEST_LOCKFILES } from './payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN, type JudgeScan } from './payloads/judge-scan.ts';
import type { OutcomePort, Ports } from './ports.ts';
import { concludeScan } from './scan/conclude-scan.ts';
import { logVerdict } from './scan/log-verdict.ts';
import { failedRecord } from './scan/record.ts';

/** Judges the facts of a scan by the rules, compares the findings with the target's state and routes the changes. */
export const judgeScan: Job<
  JudgeScan,
  Verdict,
  | 'outcomes'
  | 'targets'
  | 'routing'
  | 'policy'
  | 'scans'
  | 'facts'
  | 'fleet'
  | 'insights'
  | 'inspections'
  | 'knownFixes'
  | 'exploits'
> = {
  ...JUDGE_SCAN,
  // Judging 500,000 packages with findings takes minutes.
  limits: { attempts: 10, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 600_000, concurrency: 2 },
  resultKind: VERDICT,
  endsWithOutcome: true,
  followsDirectly: true,
  async run(payload, ports, context) {
    const { scan, target, partial = false } = payload;
    const [collected, parts] = await Promise.all([
      readInventory(ports.outcomes, scan),
      readParts(ports.outcomes, payload),
    ]);
    // What does not depend on each other is read together.
    const [inventory, known, inspections, previous] = await Promise.all([
      withNewerFacts(collected, ports.facts.versions),
      readKnown(collected, ports),
      inspectionsByPurl(collected, ports.inspections),
      ports.targets.read(target.id),
    ]);
    const run = await concludeScan(
      {
        ...payload,
        partial,
        paths: [...inventory.lockfiles, ...inventory.unread].map(({ path }) => path),
        inventory,
        advisories: await advisoriesOf(
          inventory,
          {
            known: inventory === collected ? known : await readKnown(inventory, ports),
            fetched: parts.advisories,
            insights: ports.insights,
          },
          context,
        ),
        graphs: graphsIn(parts.graphs),
        inspections,
        previous,
      },
      ports,
      context,
    );
    const image = imageSteps({ ...payload, scan: imageScanOf(scan) }, inventory.image);
    return { ...run, next: [...run.next, ...image], fleet: { comparedAt: context.startedAt } };
  },
  log: ({ scan }, verdict) => logVerdict(scan, verdict),
  // The verdict holds the facts, the deliveries hold the alerts, the target's state holds the findings.
  spent: ({ scan, advisoryParts, expansionParts }) => ({
    marked: [
      { job: INGEST_LOCKFILES.name, key: scan },
      { job: JUDGE_SCAN.name, key: scan },
    ],
    removed: [
      ...partNames(COLLECT_ADVISORIES.name, scan, advisoryParts),
      ...partNames(EXPAND_DEPENDENCIES.name, scan, expansionParts),
    ],
  }),
  async onEnd(payload, ending, { scans }) {
    if (ending.kind === 'failed') await scans.fail(failedRecord(payload, ending.reason));
  },
};

function partNames(job: string, scan: string, count: number): readonly OutcomeName[] {
  return Array.from({ length: count }, (_, part) => ({ job, key: partKey({ scan, part }) }));
}

async function readInventory(outcomes: OutcomePort, scan: string): Promise<Inventory> {
  const inventory = await outcomes.read(INVENTORY, INGEST_LOCKFILES.name, scan);
  if (inventory === undefined) {
    throw new JobError(
      'facts-missing',
      `the inventory of scan ${scan} is no longer in the store; scan again`,
    );
  }
  return inventory;
}

/** The results of the children. One that failed permanently has no outcome and is a gap in the verdict. */
async function readParts(outcomes: OutcomePort, payload: JudgeScan) {
  const { scan, advisoryParts, expansionParts } = payload;
  const parts = <Result>(kind: StoredKind<Result>, job: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, part) => outcomes.read(kind, job, partKey({ scan, part }))),
    );
  return {
    advisories: await parts(COLLECTED_ADVISORIES, COLLECT_ADVISORIES.name, advisoryParts),
    graphs: await parts(EXPANDED_DEPENDENCIES, EXPAND_DEPENDENCIES.name, expansionParts),
  };
}

/** The advisories of an inventory that the fleet knows. The children fetched the others. */
async function readKnown(inventory: Inventory, { facts }: Pick<Ports, 'facts'>) {
  return await knownAdvisories(await referredAdvisories(inventory), facts.advisories);
}
