import { createHash } from 'node:crypto';
import type { Notification } from '../model/alert/notification.ts';

/**
 * What a notification says, as 16 hexadecimal digits. A scan that is judged again, because Redis lost the first verdict, may
 * come to something else: then its alerts are others, with ids of their own.
 */
export function contentOf({ changes, open, gaps }: Pick<Notification, 'changes' | 'open' | 'gaps'>): string {
  const hash = createHash('sha256').update(JSON.stringify([open, gaps]));
  for (const { transition, finding } of changes) {
    hash.update(`\n${transition} ${finding.fingerprint} ${finding.severity}`);
  }
  return hash.digest('hex').slice(0, 16);
}
