import { imageScanOf } from '../model/image/image-scan.ts';
import type { DependencyGraph } from '../model/lockfile/dependency-graph.ts';
import { isReadWhole } from '../model/lockfile/read-whole.ts';
import { formatVersionKey } from '../model/lockfile/version-key.ts';
import type { OutcomeName } from '../model/queue/spent-outcomes.ts';
import type { Advisory } from '../model/scan/advisory.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { COLLECTED_ADVISORIES, EXPANDED_DEPENDENCIES, INVENTORY, VERDICT } from '../model/stored/catalog.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import { judge } from '../policy/judge.ts';
import { knownAfter } from '../policy/known-packages.ts';
import { stillOpenAfter } from '../policy/still-open.ts';
import { JobError } from './errors.ts';
import type { Job, RunContext } from './job.ts';
import { COLLECT_ADVISORIES } from './payloads/collect-advisories.ts';
import { EXPAND_DEPENDENCIES } from './payloads/expand-dependencies.ts';
import { partKey } from './payloads/fields.ts';
import { imageSteps } from './payloads/find-base-image.ts';
import { INGEST_LOCKFILES } from './payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN, type JudgeScan } from './payloads/judge-scan.ts';
import type { OutcomePort, Ports } from './ports.ts';
import { storedAdvisories } from './refresh/stored-facts.ts';
import { downgradesOf } from './scan/fixed-versions.ts';
import { formerLicenses } from './scan/former-licenses.ts';
import { knownAdvice } from './scan/known-advice.ts';
import { knownAdvisories, withNewerFacts } from './scan/newer-facts.ts';
import { failedRecord } from './scan/record.ts';
import { recordVerdict } from './scan/record-verdict.ts';
import { referredAdvisories } from './scan/referred-advisories.ts';
import { countScan, gapsOf, logVerdict, ruleGap, type ScanFacts } from './scan/summary.ts';
import { inspectionsByPurl, signalGaps } from './signals/known-inspections.ts';

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
  needs: [
    'outcomes',
    'targets',
    'routing',
    'policy',
    'scans',
    'facts',
    'fleet',
    'insights',
    'inspections',
    'exploits',
    'knownFixes',
  ],
  resultKind: VERDICT,
  endsWithOutcome: true,
  followsDirectly: true,
  async run(payload, ports, context) {
    const { outcomes, targets, routing, policy } = ports;
    const { scan, target, requestedAt, partial = false } = payload;
    const [collected, read] = await Promise.all([
      readInventory(outcomes, scan),
      readFacts(outcomes, payload),
    ]);
    // What does not depend on each other is read together.
    const [inventory, known, inspections, previous, exploits, suppressions] = await Promise.all([
      withNewerFacts(collected, ports.facts),
      referredAdvisories(collected).then((named) => knownAdvisories(named, ports.facts)),
      inspectionsByPurl(collected, ports.inspections),
      targets.read(target.id),
      ports.exploits.current(),
      policy.suppressions(),
    ]);
    const { advisories, facts } = await withAdvisories(
      inventory,
      read,
      ports,
      context,
      inventory === collected ? known : undefined,
    );
    const { findings, unjudged } = await judge({
      target,
      inventory,
      advisories,
      graphs: graphsByKey(facts),
      policy: policy.policy(),
      inspections,
      downgrades: await downgradesOf(previous?.fixed ?? [], inventory),
      formerLicenses: await formerLicenses(previous, inventory, target, ports),
    });
    const run = await recordVerdict(
      {
        scan,
        target,
        requestedAt,
        judgedAt: context.startedAt,
        findings,
        partial,
        paths: [...inventory.lockfiles, ...inventory.unread].map(({ path }) => path),
        stillOpen: stillOpenAfter(inventory, { partial, unjudged }),
        gaps: [...(await gapsOf(inventory, facts)), ...unjudged.map(ruleGap), ...signalGaps(inspections)],
        firstScan: routing.routing().firstScan,
        exploits,
        suppressions,
        input: inventory.input,
        inventory,
        previous,
        advice: await knownAdvice(findings, inventory, ports.knownFixes, {
          advice: scan,
          requestedAt: new Date(context.startedAt).toISOString(),
          now: context.startedAt,
        }),
        counts: (found) => countScan(inventory, found),
        known: (before) =>
          knownAfter(before, inventory, { requestedAt, seesAll: seesAll(inventory, partial) }),
      },
      { targets, routing, policy },
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

/** Whether the inventory holds all packages of the target. */
function seesAll({ lockfiles, unread }: Inventory, partial: boolean): boolean {
  return !partial && unread.length === 0 && lockfiles.every(isReadWhole);
}

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
async function readFacts(outcomes: OutcomePort, payload: JudgeScan): Promise<ScanFacts> {
  const { scan, advisoryParts, expansionParts } = payload;
  const parts = <Result>(kind: StoredKind<Result>, job: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, part) => outcomes.read(kind, job, partKey({ scan, part }))),
    );
  return {
    advisories: await parts(COLLECTED_ADVISORIES, COLLECT_ADVISORIES.name, advisoryParts),
    expansions: await parts(EXPANDED_DEPENDENCIES, EXPAND_DEPENDENCIES.name, expansionParts),
  };
}

/**
 * All advisories of the scan. The children fetched those that were not known; newer facts may refer to others. After a child that
 * failed permanently nothing more is fetched: what it lacks are gaps.
 */
async function withAdvisories(
  inventory: Inventory,
  facts: ScanFacts,
  ports: Pick<Ports, 'facts' | 'insights'>,
  context: RunContext,
  known: ReadonlyMap<string, Advisory> | undefined,
): Promise<{ readonly advisories: ReadonlyMap<string, Advisory>; readonly facts: ScanFacts }> {
  const { byId, part } = await storedAdvisories(inventory, ports, context, facts.advisories, known);
  return { advisories: byId, facts: { ...facts, advisories: [part] } };
}

function graphsByKey({ expansions }: ScanFacts): ReadonlyMap<string, DependencyGraph> {
  const graphs = expansions.flatMap((part) => part?.graphs ?? []);
  return new Map(graphs.map(({ versionKey, graph }) => [formatVersionKey(versionKey), graph]));
}
