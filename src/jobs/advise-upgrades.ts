import { z } from 'zod';
import { fixKeyOf, knownQuestion } from '../advice/known-fix.ts';
import { CodedError } from '../model/errors.ts';
import { lazily } from '../model/lazily.ts';
import { formatVersionKey, SYSTEMS } from '../model/lockfile/ecosystem.ts';
import type { FixQuestion } from '../model/ports/shared-state.ts';
import { chunks } from '../model/yielding.ts';
import { IncompleteError } from '../scan/attempt.ts';
import { letScansPass } from './errors.ts';
import { type FollowUp, followUp, type Job } from './job.ts';
import { keyHash, printableText, scanId, timestamp } from './payloads/fields.ts';
import type { Ports } from './ports.ts';

/** Package versions of one job. */
const PACKAGES_PER_ADVICE = 50;
/** Direct dependencies that bring one package version. */
export const MAX_DIRECTS = 10;

const versionKey = () =>
  z.strictObject({
    system: z.enum(SYSTEMS),
    name: printableText(1, 1_000),
    version: printableText(1, 1_000),
  });

const schema = lazily(() =>
  z.strictObject({
    advice: scanId().describe('Id of the scan whose findings need advice.'),
    requestedAt: timestamp(),
    packages: z
      .array(z.strictObject({ key: versionKey(), directs: z.array(versionKey()).max(MAX_DIRECTS) }))
      .max(PACKAGES_PER_ADVICE),
  }),
);

type AdviseUpgrades = z.infer<ReturnType<typeof schema>>;

/** The result of one job. */
interface AdviceCounts {
  readonly advised: number;
  /** Package versions about which the service did not answer. */
  readonly failed: number;
}

/** Known fixes of open alerts are found out again after this time: they expire when no scan asks for them. */
const RENEWED_AFTER_MS = 3 * 86_400_000;
/** Package versions whose fixes one refresh renews; the oldest come first. */
const MAX_RENEWED = 1_000;
const READ_AT_ONCE = 1_000;

/**
 * The jobs that find out the fixes of open alerts again, with the direct dependencies that are known: targets whose scans ended, releases among
 * them, ask for none. `now`: ms since 1970.
 */
export async function renewedAdvice(
  { refresh, requestedAt }: { readonly refresh: string; readonly requestedAt: string },
  { fleet, knownFixes }: Pick<Ports, 'fleet' | 'knownFixes'>,
  now: number,
): Promise<readonly FollowUp[]> {
  if (knownFixes.mode === 'never') return [];
  const affected = (await fleet.openAlerts()).flatMap((alert) => fixKeyOf(alert) ?? []);
  const keys = [...new Map(affected.map((key) => [formatVersionKey(key), key])).values()];
  const due: { readonly question: FixQuestion; readonly computedAt: number }[] = [];
  for (const part of chunks(keys, READ_AT_ONCE)) {
    const known = await knownFixes.read(part);
    for (const [index, key] of part.entries()) {
      const fix = known[index];
      if (fix !== undefined && now - fix.computedAt <= RENEWED_AFTER_MS) continue;
      const { directs } = fix === undefined ? { directs: [] } : knownQuestion(key, fix);
      due.push({
        question: { key, directs: directs.slice(0, MAX_DIRECTS) },
        computedAt: fix?.computedAt ?? 0,
      });
    }
  }
  const oldest = due.sort((left, right) => left.computedAt - right.computedAt).slice(0, MAX_RENEWED);
  return adviceJobs(
    { advice: refresh, requestedAt },
    oldest.map(({ question }) => question),
  );
}

/** The jobs that answer some questions. */
export function adviceJobs(
  payload: Pick<AdviseUpgrades, 'advice' | 'requestedAt'>,
  questions: readonly FixQuestion[],
): readonly FollowUp[] {
  return chunks(questions, PACKAGES_PER_ADVICE).map((packages) =>
    followUp(adviseUpgrades, {
      ...payload,
      packages: packages.map(({ key, directs }) => ({ key, directs: [...directs] })),
    }),
  );
}

/** Advice waits this long for scans, so that it delays no alert. */
const PATIENCE_MS = 120_000;

/**
 * Finds out the fixed version of affected packages, and the upgrades that bring it. Alerts and lists of findings have it from then
 * on. What is known already is not asked for again.
 */
export const adviseUpgrades: Job<AdviseUpgrades, AdviceCounts, 'fleet' | 'knownFixes'> = {
  name: 'advise-upgrades',
  version: 1,
  schema,
  // What a repetition asks may differ from what the first run asked.
  key: ({ advice, packages }) =>
    `${advice}.${keyHash(packages.map(({ key, directs }) => [key, ...directs].map(formatVersionKey).join(' ')).join('\n'), 16)}`,
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 300_000, timeoutMs: 3_600_000, concurrency: 1 },
  async run(payload, { fleet, knownFixes }, context) {
    const { packages } = payload;
    await letScansPass(fleet, payload, PATIENCE_MS, context.startedAt);
    const failures: CodedError[] = [];
    for (const [index, question] of packages.entries()) {
      context.signal.throwIfAborted();
      try {
        await knownFixes.learn(question, context.startedAt, context.signal);
      } catch (error) {
        if (!(error instanceof CodedError) || context.signal.aborted) throw error;
        failures.push(error);
      }
      context.progress({ step: 'advise', done: index + 1, total: packages.length });
    }
    const failure = failures.find(({ retryable }) => retryable);
    if (failure !== undefined && !context.lastAttempt) {
      throw new IncompleteError('insights-partial', failure.message, {
        cause: failure,
        retryAfterMs: failure.retryAfterMs,
      });
    }
    return { result: { advised: packages.length - failures.length, failed: failures.length }, next: [] };
  },
  log: ({ advice, packages }, counts) => ({
    facts: { advice, packages: packages.length, ...counts },
    warning: counts.failed === 0 ? undefined : 'fixed versions of some packages could not be found out',
  }),
  spent: 'own',
};
