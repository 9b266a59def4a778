import type { Routing } from '../../model/alert/routing.ts';
import type { ExpandedDependencies } from '../../model/lockfile/dependency-graph.ts';
import type { TargetState } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Advisory, CollectedAdvisories, Inventory } from '../../model/scan/inventory.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import type { PathFinder } from '../../policy/located-packages.ts';
import type { ScanAdvisories } from '../../scan/advisories.ts';
import { advisoriesOf, knownAdvisories, referredAdvisories } from '../../scan/advisories.ts';
import { graphsIn } from '../../scan/graphs.ts';
import { judgeInventory } from '../../scan/judge.ts';
import { inspectionsByPurl } from '../../scan/known-facts.ts';
import type { JobRun, RunContext } from '../job.ts';
import type { Ports } from '../ports.ts';
import { knownAdvice } from './known-advice.ts';
import type { ScanHeader } from './record.ts';
import { comparisonRules, recordVerdict } from './record-verdict.ts';

/** An inventory, and what was fetched for it; `undefined` for a part whose job failed permanently. */
interface CollectedScan extends ScanHeader {
  readonly partial: boolean;
  readonly paths: readonly string[];
  readonly inventory: Inventory;
  /** See `JudgedScan` and `RuleFacts`; for an inventory with some of the packages. */
  readonly others?: number;
  readonly pathTo?: PathFinder;
  readonly advisories: readonly (CollectedAdvisories | undefined)[];
  readonly graphs: readonly (ExpandedDependencies | undefined)[];
  readonly previous: TargetState | undefined;
  /** See `JudgedScan`. */
  readonly refreshed?: boolean;
}

export type ConclusionNeeds =
  | 'exploits'
  | 'facts'
  | 'fleet'
  | 'insights'
  | 'inspections'
  | 'knownFixes'
  | 'policy'
  | 'routing';

/**
 * Judges an inventory by what was fetched for it and what the fleet knows, compares the findings with the state of its target and routes the
 * changes.
 */
export async function concludeScan(
  collected: CollectedScan,
  ports: Pick<Ports, ConclusionNeeds>,
  context: RunContext,
): Promise<JobRun<Verdict>> {
  const { scan, inventory } = collected;
  const { policy, fleet, facts } = ports;
  const { startedAt } = context;
  // What does not depend on each other is read together.
  const [known, inspections, exploits, rules] = await Promise.all([
    knownAdvisories(await referredAdvisories(inventory), facts.advisories),
    inspectionsByPurl(inventory, ports.inspections),
    ports.exploits.current(),
    comparisonRules(ports),
  ]);
  const judgement = await judgeInventory({
    ...collected,
    advisories: await allAdvisories(collected, known, ports, context),
    graphs: graphsIn(collected.graphs),
    inspections,
    policy: policy.policy(),
    judgedAt: startedAt,
    fleet: { inventory: fleet.inventory, versions: facts.versions },
  });
  return await recordVerdict(
    {
      ...collected,
      ...judgement,
      judgedAt: startedAt,
      firstScan: ports.routing.routing().firstScan,
      exploits,
      rules,
      advice: await knownAdvice(judgement.findings, inventory, ports.knownFixes, {
        advice: scan,
        requestedAt: new Date(startedAt).toISOString(),
        now: startedAt,
        asks: collected.refreshed === true ? isNewTo(collected.previous, rules.routing) : undefined,
      }),
    },
    ports,
  );
}

/**
 * The advisories of a scan. It records those that are still missing: the first answer about one then has the target judged again, also
 * where the scan of another target gets it.
 */
async function allAdvisories(
  { inventory, advisories: fetched }: CollectedScan,
  known: ReadonlyMap<string, Advisory>,
  { facts: { advisories }, insights }: Pick<Ports, 'facts' | 'insights'>,
  context: RunContext,
): Promise<ScanAdvisories> {
  const found = await advisoriesOf(inventory, { known, fetched, insights }, context);
  const missing = found.gaps.filter(({ subject }) => !found.byId.has(subject));
  const [first] = missing;
  if (first === undefined) return found;
  const ids = missing.map(({ subject }) => subject);
  await advisories.notAnswered(ids, first.reason);
  // Another scan may have stored one before it was recorded as missing.
  const late = await knownAdvisories(new Set(ids), advisories);
  if (late.size === 0) return found;
  return await advisoriesOf(inventory, { known: new Map([...known, ...late]), fetched, insights }, context);
}

/**
 * The test for findings whose advice a judgement without a scan looks up: those that were not open before, or were less severe. The scan
 * that found the others had theirs looked up, and 200 targets have more than a thousand. A route that matches on `fixable` waits for any.
 */
function isNewTo(
  previous: TargetState | undefined,
  { rules }: Routing,
): ((finding: Finding) => boolean) | undefined {
  if (rules.some(({ match }) => match.fixable !== undefined)) return undefined;
  const open = previous?.findings.filter(({ status }) => status === 'open') ?? [];
  const known = new Map(open.map(({ finding }) => [finding.fingerprint, finding.severity]));
  return ({ fingerprint, severity }) => known.get(fingerprint) !== severity;
}
