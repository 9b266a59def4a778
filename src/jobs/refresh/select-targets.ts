import { isDeepStrictEqual } from 'node:util';
import { chunks } from '../../model/chunks.ts';
import { defined } from '../../model/defined.ts';
import type { DueTarget, PendingFacts } from '../../model/queue/outcome.ts';
import { concernedFindings } from '../../policy/suppressions/concerned-findings.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import type { Job } from '../job.ts';
import { JUDGE_TARGET } from '../payloads/judge-target.ts';
import { JUDGE_TARGETS } from '../payloads/judge-targets.ts';
import { SELECT_TARGETS, type SelectTargets } from '../payloads/select-targets.ts';
import type { FleetPort } from '../ports.ts';
import { ANNOUNCE_FINDINGS } from './announce-findings.ts';

/** Numbers of what was selected. */
interface Selection {
  readonly changes: number;
  readonly targets: number;
}

/** Changes of one round, of versions and of advisories each. */
const MAX_CHANGES = 10_000;
/** One outcome opens so many jobs at most. */
const TARGETS_PER_JOB = 500;

/**
 * Finds the targets that hold a package version whose facts changed, by one pass over the id lists of all lockfiles, those with a
 * finding whose suppression expired, and those with a finding that a changed suppression concerns. The script that saves the outcome removes exactly the changes that were read, so each selects its targets once.
 */
export const selectTargets: Job<SelectTargets, Selection, 'fleet'> = {
  ...SELECT_TARGETS,
  limits: { attempts: 20, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 600_000, concurrency: 1 },
  async run(payload, { fleet }, { startedAt }) {
    const pending = await fleet.pending(MAX_CHANGES);
    // Their judgements are dated by the request: what is due after it is selected the next time.
    const due = await fleet.dueTargets(Math.min(startedAt, Date.parse(payload.requestedAt)));
    const targets = await targetsOf(payload, fleet, pending, due);
    const isLast = Math.max(pending.versions.length, pending.advisories.length) < MAX_CHANGES;
    const { also: _also, settings, routing, suppressions, ...rest } = payload;
    return {
      result: { changes: pending.versions.length + pending.advisories.length, targets: targets.length },
      next: [
        ...judgementsOf({ ...payload, requestedAt: latest(payload.requestedAt, pending) }, targets),
        ...announcementOf(payload),
        ...(isLast ? [] : [followUp(SELECT_TARGETS, { ...rest, round: payload.round + 1 })]),
      ],
      fleet: {
        selected: { ...pending, due },
        ...(settings === undefined || routing === undefined
          ? {}
          : { settings: { hash: settings, routing: routing.now } }),
        ...defined({ suppressions }),
      },
    };
  },
  log: ({ selection }, counts) => ({ facts: { selection, ...counts } }),
  spent: (payload) => ({
    marked: [{ job: SELECT_TARGETS.name, key: SELECT_TARGETS.key(payload) }],
    removed: [],
  }),
};

async function targetsOf(
  { also, suppressions }: SelectTargets,
  fleet: FleetPort,
  pending: PendingFacts,
  due: readonly DueTarget[],
): Promise<readonly string[]> {
  if (also === 'all') return await fleet.allTargets();
  const affected = [...(await fleet.affectedTargets(pending)), ...due.map(({ target }) => target)];
  const others = also === undefined ? [] : await fleet.incompleteTargets();
  const concerned =
    suppressions === undefined
      ? []
      : await fleet.targetsWith(await concernedFindings(await fleet.changedSuppressions()));
  return [...new Set([...affected, ...others, ...concerned])];
}

/**
 * The time of the judgements: when the last of the changes was learned, which may be long after the refresh was due. What a target
 * did not have at that time was not open.
 */
function latest(requestedAt: string, { versions, advisories }: PendingFacts): string {
  const times = [...versions, ...advisories].map(({ changedAt }) => changedAt);
  return new Date(times.reduce((last, time) => Math.max(last, time), Date.parse(requestedAt))).toISOString();
}

/** Where the routes changed, findings that exist already are sent to those that get them now. */
function announcementOf({ selection, requestedAt, routing }: SelectTargets): readonly FollowUp[] {
  const { before, now } = routing ?? {};
  if (before === undefined || now === undefined || isDeepStrictEqual(before, now)) return [];
  return [followUp(ANNOUNCE_FINDINGS, { selection, requestedAt, before, now })];
}

function judgementsOf(
  { selection, round, requestedAt }: SelectTargets,
  targets: readonly string[],
): readonly FollowUp[] {
  if (targets.length <= TARGETS_PER_JOB) {
    return targets.map((target) => followUp(JUDGE_TARGET, { selection, round, requestedAt, target }));
  }
  return chunks(targets, TARGETS_PER_JOB).map((part, index) =>
    followUp(JUDGE_TARGETS, { selection, round, requestedAt, part: index, targets: [...part] }),
  );
}
