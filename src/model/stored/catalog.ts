import { z } from 'zod';
import type { Known } from '../ports/cache.ts';
import * as alert from './alert-schemas.ts';
import type { StoredKind } from './kind.ts';
import * as queue from './queue-schemas.ts';
import * as release01 from './release-0-1.ts';
import * as scan from './scan-schemas.ts';

/** A kind whose shape has only grown optional fields since release 0.1.0. */
function first<Value>(kind: string, schema: z.ZodType<Value>): StoredKind<Value> {
  return { kind, version: 1, schema, upgrades: {} };
}

/** A kind whose version 1 is what release 0.1.0 wrote. */
function second<Value>(
  kind: string,
  schema: z.ZodType<Value>,
  upgrade: (value: unknown) => unknown,
): StoredKind<Value> {
  return { kind, version: 2, schema, upgrades: { 1: upgrade } };
}

/** A record in the cache: its version is part of its key, so it is never upgraded. */
function cached<Value>(kind: string, version: number, schema: z.ZodType<Value>): StoredKind<Known<Value>> {
  const known = z.union([z.object({ record: schema }), z.object({ missing: z.literal(true) })]);
  return { kind, version, schema: known, upgrades: {} };
}

export const TARGET_STATE = second('target-state', scan.targetState, release01.upgradeState);

export const INVENTORY = second('inventory', scan.inventory, release01.upgradeInventory);
export const COLLECTED_ADVISORIES = second(
  'collected-advisories',
  scan.collectedAdvisories,
  release01.upgradeAdvisories,
);
export const EXPANDED_DEPENDENCIES = first('expanded-dependencies', scan.expandedDependencies);
export const VERDICT = second('verdict', scan.verdict, release01.upgradeVerdict);
export const GATHERED_DIGEST = second(
  'gathered-digest',
  alert.gatheredDigest,
  release01.upgradeGatheredDigest,
);

export const NOTIFICATION = second('notification', alert.notification, release01.upgradeNotification);
export const DIGEST_ENTRY = second('digest-entry', alert.digestEntry, release01.upgradeNotification);
export const DELIVERY_RECORD = first('delivery-record', alert.deliveryRecord);
export const DELIVERY_ATTEMPT = first('delivery-attempt', alert.deliveryAttempt);
export const STOPPED_ROUTE = first('stopped-route', alert.stoppedRoute);
export const APPLIED_OBJECT = first('applied-object', alert.appliedObject);

export const OUTCOME = first('outcome', queue.outcome);
export const OPEN_JOB = first('open-job', queue.openJob);
export const SCAN_RECORD = first('scan-record', queue.scanRecord);
export const REJECTED_PAYLOAD = first('rejected-payload', queue.rejectedPayload);

export const CACHED_VERSION = cached('version', 1, scan.versionRecord);
export const CACHED_ADVISORY = cached('advisory', 3, scan.advisory);
export const CACHED_DEPENDENCIES = cached('dependencies', 1, scan.dependencyGraph);

/** Every kind of value that stays in Redis longer than a job. Lockfile contents are verified by their hash instead. */
export const STORED_KINDS: readonly StoredKind<unknown>[] = [
  TARGET_STATE,
  INVENTORY,
  COLLECTED_ADVISORIES,
  EXPANDED_DEPENDENCIES,
  VERDICT,
  GATHERED_DIGEST,
  NOTIFICATION,
  DIGEST_ENTRY,
  DELIVERY_RECORD,
  DELIVERY_ATTEMPT,
  STOPPED_ROUTE,
  APPLIED_OBJECT,
  OUTCOME,
  OPEN_JOB,
  SCAN_RECORD,
  REJECTED_PAYLOAD,
  CACHED_VERSION,
  CACHED_ADVISORY,
  CACHED_DEPENDENCIES,
];
