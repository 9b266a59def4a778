import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { lazily } from '../../model/lazily.ts';
import type { DueTarget, PendingFacts } from '../../model/queue/outcome.ts';
import { chunks } from '../../model/yielding.ts';
import { concernedFindings } from '../../policy/suppressions/concerned-findings.ts';
import { gatherDigest } from '../gather-digest.ts';
import { type FollowUp, followUp, type Job } from '../job.ts';
import { keyHash, printableText, routing, scanId, timestamp } from '../payloads/fields.ts';
import type { FleetPort } from '../ports.ts';
import { judgeTarget } from './judge-target.ts';

const schema = lazily(() =>
  z.strictObject({
    selection: scanId().describe('Id of the selection; part of the ids of its judgements.'),
    requestedAt: timestamp(),
    round: z.int().nonnegative().describe('Each round selects the targets of some thousand changes.'),
    also: z
      .enum(['incomplete', 'all'])
      .optional()
      .describe('Targets to judge again whatever they hold: those with gaps, or all.'),
    settings: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('Hash of the settings that all targets are judged by from now on.'),
    routing: z
      .strictObject({ now: routing(), before: routing().optional() })
      .optional()
      .describe('The routes of these settings, and those until then where they are known.'),
    suppressions: z
      .string()
      .regex(/^\d{1,20}$/)
      .optional()
      .describe(
        'Revision of the suppressions that all targets are judged by from now on: those that changed concern some.',
      ),
    part: z
      .array(printableText(1, 200))
      .max(1_000)
      .optional()
      .describe('Targets that were selected already: a part of a large selection.'),
  }),
);

type SelectTargets = z.infer<ReturnType<typeof schema>>;

/** The selection of all targets, because the settings changed; `routing`: what is known of their routes. */
export function settingsDue(
  settings: string,
  routing: NonNullable<SelectTargets['routing']>,
  due: Date,
): FollowUp {
  const requestedAt = due.toISOString();
  const selection = `settings.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(selectTargets, { selection, requestedAt, round: 0, also: 'all', settings, routing });
}

/** The selection of the targets that suppressions concern which were added or removed. */
export function suppressionsDue(suppressions: string, due: Date): FollowUp {
  const requestedAt = due.toISOString();
  const selection = `suppressions.${suppressions}.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(selectTargets, { selection, requestedAt, round: 0, suppressions });
}

/** The selection of a due time. */
export function selectionDue(due: Date): FollowUp {
  const requestedAt = due.toISOString();
  const selection = `changes.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(selectTargets, { selection, requestedAt, round: 0 });
}

/** Numbers of what was selected. */
interface Selection {
  readonly changes: number;
  readonly targets: number;
}

/** Changes of one round, of versions and of advisories each. */
const MAX_CHANGES = 10_000;
/** The largest number of jobs that one outcome opens. */
const TARGETS_PER_JOB = 500;

/**
 * Finds the targets that hold a package version whose facts changed, by one pass over the id lists of all lockfiles, those with a
 * finding whose suppression expired, and those with a finding that a changed suppression concerns. The script that saves the outcome removes exactly the changes that were read, so each selects its targets once.
 */
export const selectTargets: Job<SelectTargets, Selection, 'fleet'> = {
  name: 'select-targets',
  version: 1,
  schema,
  key: ({ selection, round, requestedAt, part }) =>
    [selection, round, ...(part === undefined ? [] : [partHash(requestedAt, part)])].join('.'),
  limits: { attempts: 20, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 600_000, concurrency: 1 },
  async run(payload, { fleet }, { startedAt }) {
    const { part } = payload;
    if (part !== undefined)
      return {
        result: { changes: 0, targets: part.length },
        next: part.map((target) => judgementOf(payload, target)),
      };
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
        ...(isLast ? [] : [followUp(selectTargets, { ...rest, round: payload.round + 1 })]),
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
  spent: 'own',
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

/** When routes changed, findings that exist already are sent to those that get them now. */
function announcementOf({ selection, requestedAt, routing }: SelectTargets): readonly FollowUp[] {
  const { before, now } = routing ?? {};
  if (before === undefined || now === undefined || isDeepStrictEqual(before, now)) return [];
  return [followUp(gatherDigest, { of: 'existing', selection, requestedAt, before, now })];
}

function judgementsOf(payload: SelectTargets, targets: readonly string[]): readonly FollowUp[] {
  if (targets.length <= TARGETS_PER_JOB) return targets.map((target) => judgementOf(payload, target));
  const { selection, round, requestedAt } = payload;
  return chunks(targets, TARGETS_PER_JOB).map((part) =>
    followUp(selectTargets, { selection, round, requestedAt, part: [...part] }),
  );
}

/**
 * Distinguishes parts by what they judge. A selection whose outcome Redis has lost may find other targets, or other changes of the same ones:
 * its parts are not those of before, which may have ended.
 */
function partHash(requestedAt: string, targets: readonly string[]): string {
  return keyHash(JSON.stringify([requestedAt, ...targets]), 16);
}

function judgementOf({ selection, round, requestedAt }: SelectTargets, target: string): FollowUp {
  return followUp(judgeTarget, { selection, round, requestedAt, target });
}
