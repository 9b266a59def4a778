import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import type { JobType } from '../job-type.ts';
import { routing, scanId, timestamp } from './fields.ts';

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
  }),
);

export type SelectTargets = z.infer<ReturnType<typeof schema>>;

/** Finds the targets that facts concern which changed since the last selection. */
export const SELECT_TARGETS: JobType<SelectTargets> = {
  name: 'select-targets',
  version: 1,
  schema,
  key: ({ selection, round }) => `${selection}.${round}`,
};

/** The selection of all targets, because the settings changed; `routing`: what is known of their routes. */
export function settingsDue(
  settings: string,
  routing: NonNullable<SelectTargets['routing']>,
  due: Date,
): FollowUp {
  const requestedAt = due.toISOString();
  const selection = `settings.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(SELECT_TARGETS, { selection, requestedAt, round: 0, also: 'all', settings, routing });
}

/** The selection of the targets that suppressions concern which were added or removed. */
export function suppressionsDue(suppressions: string, due: Date): FollowUp {
  const requestedAt = due.toISOString();
  const selection = `suppressions.${suppressions}.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(SELECT_TARGETS, { selection, requestedAt, round: 0, suppressions });
}

/** The selection of a due time. */
export function selectionDue(due: Date): FollowUp {
  const requestedAt = due.toISOString();
  const selection = `changes.${requestedAt.replaceAll(/[^\dTZ]/g, '')}`;
  return followUp(SELECT_TARGETS, { selection, requestedAt, round: 0 });
}
