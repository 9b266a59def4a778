import { releaseIn } from '../../model/fleet/release.ts';
import type { RequestClaim } from '../../model/queue/open-job.ts';
import { scanIdOf } from '../../model/scan/scan-id.ts';
import { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { readTargetState } from '../targets.ts';

/** Time to live of a claim. The outcome of a job keeps it from running again for as long. */
export const REQUEST_TTL_MS = 14 * 24 * 3_600_000;

/** Lua function `claim(key, content, ttl)`: `new` when the id of a request gets this content, `same` when it has it, else `taken`. */
export const CLAIM_STEP = `
local function claim(key, content, ttl)
  local known = redis.call('GET', key)
  if known then
    return known == content and 'same' or 'taken'
  end
  redis.call('SET', key, content, 'PX', ttl)
  return 'new'
end`;

/** Keys: content of the request. Arguments: hash of the content, how long it is kept in ms. */
const CLAIM = defineScript(`
${CLAIM_STEP}
return claim(KEYS[1], ARGV[1], ARGV[2])
`);

/** Reserves the id of a scan for its content. May be repeated. Throws `StoreError` (`scan-exists`) when another content has it. */
export async function claimRequest(
  redis: RedisClient,
  keys: Keys,
  { scan, content }: RequestClaim,
): Promise<void> {
  const answer = await runScript(redis, CLAIM, [keys.requestedScan(scan)], [content, REQUEST_TTL_MS]);
  if (String(answer) === 'taken')
    throw new StoreError('scan-exists', `scan ${scan} of this target has another content; choose another id`);
}

/** The name under which a release reserves its lockfiles. No scan has it. */
export function releaseClaim(target: string): string {
  return scanIdOf(target, '_release');
}

/**
 * Reserves the id of a release for its lockfiles, of which `digest` is the hash, until its first scan is judged. Nothing for another target.
 * Throws `StoreError` (`release-exists`) when it has other lockfiles.
 */
export async function claimRelease(
  redis: RedisClient,
  keys: Keys,
  { target, digest }: { readonly target: string; readonly digest: string },
): Promise<void> {
  const state = await readTargetState(keys, target, await redis.hgetBuffer(keys.target(target), 'state'));
  const known = state?.release?.digest ?? digest;
  const content = [digest, REQUEST_TTL_MS];
  const claim = await runScript(redis, CLAIM, [keys.requestedScan(releaseClaim(target))], content);
  if (known === digest && String(claim) !== 'taken') return;
  const { release = '', target: of = target } = releaseIn(target) ?? {};
  throw new StoreError(
    'release-exists',
    `release ${release} of ${of} has other lockfiles: choose another name, or forget ${target} first`,
  );
}
