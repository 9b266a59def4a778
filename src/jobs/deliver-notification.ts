import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DeliveryReceipt, Notification } from '../model/notification.ts';
import type { Verdict } from '../model/scan.ts';
import { JobError } from './errors.ts';
import type { Job } from './job.ts';
import { scanId } from './scan-id.ts';

const schema = z.strictObject({ scan: scanId, webhook: z.string().min(1).max(200) });

/**
 * Sends the changes of one scan to one webhook. The notification's id depends on scan and route alone, so a repeat
 * after a crash carries the same one and the receiver drops it.
 */
export const deliverNotification: Job<z.infer<typeof schema>, DeliveryReceipt, 'outcomes' | 'notifier'> = {
  name: 'deliver-notification',
  version: 1,
  schema,
  limits: { attempts: 20, backoffMs: 2_000, maxBackoffMs: 1_800_000, timeoutMs: 60_000, concurrency: 8 },
  needs: ['outcomes', 'notifier'],
  key: ({ scan, webhook }) => `${scan}.${webhook}`,
  async run({ scan, webhook }, { outcomes, notifier }, context) {
    const verdict = (await outcomes.read('judge-scan', scan)) as Verdict | undefined;
    if (verdict === undefined) {
      throw new JobError('facts-missing', `the verdict of scan ${scan} is not in the store any more`);
    }
    const receipt = await notifier.deliver(webhook, notificationOf(verdict, webhook), context.signal);
    return { result: receipt, next: [] };
  },
};

function notificationOf(verdict: Verdict, webhook: string): Notification {
  const { scan, target, requestedAt, changes, counts, gaps } = verdict;
  const digest = createHash('sha256')
    // Scan ids are only unique in one installation: two of them may share a receiver.
    .update(JSON.stringify([scan, target.id, requestedAt, webhook]))
    .digest('hex');
  return {
    id: `msg_${digest.slice(0, 32)}`,
    route: webhook,
    scan,
    target,
    date: requestedAt,
    changes,
    open: counts.severities,
    gaps: gaps.length,
  };
}
