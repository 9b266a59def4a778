import { randomBytes } from 'node:crypto';
import { duration } from '../../config/values.ts';
import { suppressionEntry, suppressionOf } from '../../policy/suppressions/entry.ts';
import { firstShard, requireSeen, requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';
import { authorOf, isOfOneTarget, shownSuppression } from './suppressions.ts';

/** Adds a suppression, written as in the configuration. `expires` may also be a duration. Throws `Refusal`. */
export const add: Operation<'lockhound.suppressions.add'> = async ({ body, principal }, context) => {
  if (isOfOneTarget(body.target, () => true)) await requireSeen(context, principal, body.target ?? '');
  else requireWholeFleet(principal);
  const now = Date.now();
  const entry = checked({
    ...body,
    author: authorOf(principal, body.author),
    ...expiryOf(body.expires, now),
  });
  const id = `ignore ${randomBytes(4).toString('hex')}`;
  const suppression = suppressionOf(entry, { id, source: 'command' });
  const added = { suppression, addedAt: new Date(now).toISOString() };
  await firstShard(context.fleet).suppressions.put([added]);
  return shownSuppression(added, { findings: 0, expired: false });
};

function expiryOf(expires: string | undefined, now: number): { readonly expires?: string } {
  if (expires === undefined) return {};
  const after = duration.safeParse(expires);
  return { expires: after.success ? new Date(now + after.data).toISOString() : expires };
}

function checked(written: object) {
  const parsed = suppressionEntry().safeParse(written);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  );
  const listed = faults.map((one) => `  ${one}`).join('\n');
  throw new Refusal(400, 'config-invalid', `the suppression is not valid:\n${listed}`);
}
