import { z } from 'zod';
import { CodedError } from '../model/errors.ts';
import { lazily } from '../model/lazily.ts';
import { SYSTEMS } from '../model/lockfile/ecosystem.ts';
import { IncompleteError } from '../scan/attempt.ts';
import { letScansPass } from './errors.ts';
import type { Job } from './job.ts';
import { printableText, scanId, timestamp } from './payloads/fields.ts';

/** Package versions of one job. */
export const PACKAGES_PER_ADVICE = 50;
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
    part: z.int().nonnegative(),
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
  key: ({ advice, part }) => `${advice}.${part}`,
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
  log: ({ advice, part }, counts) => ({
    facts: { advice, part, ...counts },
    warning: counts.failed === 0 ? undefined : 'fixed versions of some packages could not be found out',
  }),
  spent: 'own',
};
