import { z } from 'zod';
import { CodedError } from '../../model/errors.ts';
import { isSupported } from '../../model/fleet/release.ts';
import { lazily } from '../../model/lazily.ts';
import type { TargetState } from '../../model/scan/change.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { VERDICT } from '../../model/stored/catalog.ts';
import type { StoredKind } from '../../model/stored/kind.ts';
import { policyFor } from '../../policy/policy-for.ts';
import { withoutFuture } from '../../policy/scan-order.ts';
import { fetchGraphs, keysToExpand } from '../../scan/graphs.ts';
import { storedInventory } from '../../scan/known-facts.ts';
import { type NotablePackages, notablePackages } from '../../scan/notable-packages.ts';
import type { Job, RunContext } from '../job.ts';
import { keyHash, printableText, scanId, timestamp } from '../payloads/fields.ts';
import type { Ports } from '../ports.ts';
import { type ConclusionNeeds, concludeScan } from '../scan/conclude-scan.ts';
import { logVerdict } from '../scan/record-verdict.ts';

const schema = lazily(() =>
  z.strictObject({
    selection: scanId(),
    round: z.int().nonnegative(),
    requestedAt: timestamp(),
    target: printableText(1, 200),
  }),
);

type JudgeTarget = z.infer<ReturnType<typeof schema>>;

function keyOf({ selection, round, target }: JudgeTarget): string {
  const name = keyHash(target, 16);
  return `${selection}.${round}.${name}`;
}

type Needs = ConclusionNeeds | 'targets';

/**
 * Judges a target again from its stored lockfiles and what the fleet knows. Its changes are sent like those of a scan. Where
 * nothing differs from the state, nothing is written.
 */
export const judgeTarget: Job<JudgeTarget, Verdict | null, Needs> = {
  name: 'judge-target',
  version: 1,
  schema,
  key: keyOf,
  limits: { attempts: 20, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 600_000, concurrency: 8 },
  // `null`: nothing changed.
  resultKind: VERDICT as StoredKind<Verdict | null>,
  async run(payload, ports, context) {
    const found = await readTarget(payload.target, ports, context.signal);
    // A release that is not supported any more keeps its last verdict.
    if (found === undefined || !isSupported(found.state.release?.supportedUntil, context.startedAt))
      return { result: null, next: [] };
    const run = await judgeAgain(payload, found, ports, context);
    return run.state === undefined ? { result: null, next: [] } : run;
  },
  log: (payload, verdict) =>
    verdict === null ? { facts: { target: payload.target, changes: 0 } } : logVerdict(verdict.scan, verdict),
  // A repetition finds no changes, or later ones under another id, so no marker has to stay.
  spent: (payload) => ({
    marked: [],
    removed: [{ job: judgeTarget.name, key: judgeTarget.key(payload) }],
  }),
};

interface StoredTarget {
  readonly state: TargetState;
  readonly labels: Readonly<Record<string, string>>;
  /** The packages of which something may be found, or all. */
  readonly packages: NotablePackages | Pick<NotablePackages, 'inventory'>;
}

/** `undefined` for a target that was forgotten, or whose lockfiles were never stored. */
async function readTarget(
  target: string,
  ports: Pick<Ports, 'targets' | 'fleet' | 'insights' | 'inspections' | 'policy'>,
  signal: AbortSignal,
): Promise<StoredTarget | undefined> {
  const { targets, fleet, insights, policy } = ports;
  const [state, summary] = await Promise.all([targets.read(target), fleet.summary(target)]);
  if (state?.lockfiles === undefined || summary === undefined) return undefined;
  const { labels } = summary;
  try {
    const notable = await notablePackages(state, policyFor(policy.policy(), { labels }), ports, signal);
    const all = async () => ({
      inventory: await storedInventory(state.lockfiles ?? [], { fleet, insights }, signal),
    });
    return { state, labels, packages: notable ?? (await all()) };
  } catch (error) {
    // A scan replaces lockfiles while they are read.
    if (!(error instanceof CodedError) || error.code !== 'state-corrupt') throw error;
    const now = await targets.read(target);
    if (now?.revision === state.revision) throw error;
    return await readTarget(target, ports, signal);
  }
}

async function judgeAgain(
  payload: JudgeTarget,
  { state, labels, packages }: StoredTarget,
  ports: Pick<Ports, Needs>,
  context: RunContext,
) {
  const { inventory } = packages;
  return await concludeScan(
    {
      ...packages,
      // When a worker dies, its selection may start this job again, which then finds what changed since. With the id of the first
      // verdict, the deliveries of the second would count as sent.
      scan: `${judgeTarget.key(payload)}.${state.revision}`,
      target: { id: payload.target, labels },
      requestedAt: latest(payload.requestedAt, withoutFuture(state, context.startedAt) ?? state),
      // The state may have findings in lockfiles that are not stored.
      partial: true,
      paths: inventory.lockfiles.map(({ path }) => path),
      advisories: [],
      graphs: [await fetchGraphs(keysToExpand(inventory), ports.insights, context)],
      previous: state,
      refreshed: true,
    },
    ports,
    context,
  );
}

/** The time of the judgement, not before the scans of the state, which would supersede it. */
function latest(requestedAt: string, { requestedAt: judgedAt, parts }: TargetState): string {
  const times = [requestedAt, judgedAt, ...Object.values(parts?.lockfiles ?? {})];
  return times.reduce((last, time) => (Date.parse(time) > Date.parse(last) ? time : last));
}
