import type { TargetState } from '../../model/scan/change.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import type { Target } from '../../model/scan/target.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import type { ScanAdvisories } from '../../scan/advisories.ts';
import type { ScanGraphs } from '../../scan/graphs.ts';
import { judgeInventory } from '../../scan/judge.ts';
import type { JobRun, RunContext } from '../job.ts';
import type { Ports } from '../ports.ts';
import { comparisonRules } from './comparison-rules.ts';
import { knownAdvice } from './known-advice.ts';
import { recordVerdict } from './record-verdict.ts';

/** An inventory with the facts about its packages. */
interface CollectedScan {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly partial: boolean;
  readonly paths: readonly string[];
  readonly inventory: Inventory;
  readonly advisories: ScanAdvisories;
  readonly graphs: ScanGraphs;
  readonly inspections: ReadonlyMap<string, Inspection>;
  readonly previous: TargetState | undefined;
  /** As in `JudgedScan`. */
  readonly refreshed?: boolean;
}

type Needs = 'exploits' | 'facts' | 'fleet' | 'knownFixes' | 'policy' | 'routing';

/** Judges an inventory, compares the findings with the state of its target and routes the changes. */
export async function concludeScan(
  collected: CollectedScan,
  ports: Pick<Ports, Needs>,
  { startedAt }: RunContext,
): Promise<JobRun<Verdict>> {
  const { scan, inventory } = collected;
  const { policy, fleet, facts } = ports;
  const [judgement, exploits, rules] = await Promise.all([
    judgeInventory({
      ...collected,
      policy: policy.policy(),
      fleet: { inventory: fleet.inventory, versions: facts.versions },
    }),
    ports.exploits.current(),
    comparisonRules(ports),
  ]);
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
      }),
    },
    ports,
  );
}
