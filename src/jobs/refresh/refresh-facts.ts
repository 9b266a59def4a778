import { z } from 'zod';
import { decodeIds } from '../../fleet/id-list.ts';
import { lockedPackageOf } from '../../fleet/identity.ts';
import type { RefreshedPart } from '../../model/fleet/refresh.ts';
import { CADENCES, type Cadence } from '../../model/fleet/refresh.ts';
import { lazily } from '../../model/lazily.ts';
import type { Refreshed, RefreshOptions } from '../../model/ports/insights.ts';
import type { Claim } from '../../model/queue/outcome.ts';
import { REFRESHED_PART } from '../../model/stored/catalog.ts';
import { IncompleteError } from '../../scan/attempt.ts';
import { letScansPass } from '../errors.ts';
import type { Job } from '../job.ts';
import { dividedAt, partKey, scanId, timestamp } from '../payloads/fields.ts';
import type { FleetPort, Ports } from '../ports.ts';

const schema = lazily(() =>
  z.strictObject({
    refresh: scanId(),
    cadence: z.enum(CADENCES),
    requestedAt: timestamp(),
    dividedAt: dividedAt(),
    part: z.int().nonnegative(),
    /** The subjects that are looked up: package versions or advisories. */
    facts: z.union([
      z.strictObject({
        versions: z.base64().max(100_000).describe('Ids of package versions: `encodeIds` in Base64.'),
      }),
      z.strictObject({ advisories: z.array(z.string().min(1).max(200)).max(1_000) }),
    ]),
  }),
);

export type RefreshFacts = z.infer<ReturnType<typeof schema>>;

const SUPERSEDED: RefreshedPart = {
  answered: 0,
  unknown: 0,
  changed: 0,
  failed: 0,
  unanswered: 0,
  lost: [],
  kept: {},
  superseded: true,
};

/**
 * Looks one part of a refresh up anew. What changed is pending until the targets that it concerns are selected. Look-ups that may
 * succeed later are retried by the queue; on the last attempt, what is known of them stays.
 */
export const refreshFacts: Job<RefreshFacts, RefreshedPart, 'fleet' | 'insights'> = {
  name: 'refresh-facts',
  version: 1,
  schema,
  key: ({ refresh, dividedAt, part }) => partKey({ of: refresh, dividedAt, part }),
  // Nobody waits for a part, so that it asks a failing service rarely. With a low request budget a part takes long.
  limits: { attempts: 8, backoffMs: 20_000, maxBackoffMs: 60_000, timeoutMs: 7_200_000, concurrency: 1 },
  resultKind: REFRESHED_PART,
  async run(payload, ports, { startedAt, signal, lastAttempt }) {
    if (await isSuperseded(ports.fleet, payload)) return { result: SUPERSEDED, next: [] };
    await letScansPass(ports.fleet, payload, PATIENCE_MS[payload.cadence], startedAt);
    const since = Date.parse(payload.requestedAt);
    const { retryAfterMs, ...counts } = await lookUp(payload.facts, ports, { signal, since });
    if (counts.unanswered > 0 && !lastAttempt) {
      const asked = counts.answered + counts.failed;
      const message = `${counts.unanswered} of ${asked} look-ups were not answered: ${counts.reason ?? 'unknown reason'}`;
      throw new IncompleteError('lookups-incomplete', message, { retryAfterMs });
    }
    return { result: counts, next: [], fleet: { claim: renewalOf(payload) } };
  },
  log: ({ refresh, part }, { lost, kept: _kept, ...counts }) => ({
    facts: { refresh, part, ...counts, lost: lost.length },
    warning: counts.failed === 0 ? undefined : 'look-ups failed; what was known of them stays',
  }),
};

async function lookUp(
  facts: RefreshFacts['facts'],
  { fleet, insights }: Pick<Ports, 'fleet' | 'insights'>,
  options: RefreshOptions,
): Promise<Refreshed> {
  if ('advisories' in facts) return await insights.refreshAdvisories(facts.advisories, options);
  const identities = await fleet.identities(decodeIds(Buffer.from(facts.versions, 'base64')));
  return await insights.refreshVersions(identities.map(lockedPackageOf), options);
}

interface RefreshHeader {
  readonly refresh: string;
  readonly cadence: Cadence;
  /** RFC 3339. */
  readonly requestedAt: string;
}

/** A refresh without progress for this long is given up, and the next one starts. */
const EXPIRES_MS = 3_600_000;
/** How long a refresh waits for scans. Afterwards it runs beside them, because it would never run in a busy installation. */
const PATIENCE_MS: Readonly<Record<Cadence, number>> = {
  listed: 0,
  young: 120_000,
  all: 1_800_000,
};

/** Keeps other refreshes of the cadence from starting. */
export function claimOf({ refresh, cadence }: RefreshHeader): Claim {
  return { name: claimName(cadence), holder: refresh, ttlMs: EXPIRES_MS };
}

/**
 * The renewal for a part. It does not take the claim: Redis may have lost the outcome of `refresh-fleet`, and with it the job that would
 * release the claim.
 */
function renewalOf(header: RefreshHeader): Claim {
  return { ...claimOf(header), onlyHeld: true };
}

/** Lets the next refresh of the cadence start. */
export function releaseOf({ refresh, cadence }: RefreshHeader): Claim {
  return { name: claimName(cadence), holder: refresh, ttlMs: 0 };
}

function claimName(cadence: Cadence): string {
  return `refresh-${cadence}`;
}

/** Whether the refresh was given up and another one has started. */
export async function isSuperseded(fleet: FleetPort, { refresh, cadence }: RefreshHeader): Promise<boolean> {
  const running = await fleet.refreshInProgress(cadence);
  return running !== undefined && running !== refresh;
}
