import { z } from 'zod';
import type { Known } from '../ports/cache.ts';
import * as alert from './alert-schemas.ts';
import type { StoredKind } from './kind.ts';
import * as queue from './queue-schemas.ts';
import * as release01 from './release-0-1.ts';
import * as scan from './scan-schemas.ts';

/** A kind whose shape has only grown optional fields since release 0.1.0. */
function version1<Value>(kind: string, schema: z.ZodType<Value>): StoredKind<Value> {
  return { kind, version: 1, schema, upgrades: {} };
}

/** A kind whose version 1 is what release 0.1.0 wrote. */
function version2<Value>(
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

export const TARGET_STATE = version2('target-state', scan.targetState, release01.upgradeState);

export const INVENTORY = version2('inventory', scan.inventory, release01.upgradeInventory);
export const COLLECTED_ADVISORIES = version2(
  'collected-advisories',
  scan.collectedAdvisories,
  release01.upgradeAdvisories,
);
export const EXPANDED_DEPENDENCIES = version1('expanded-dependencies', scan.expandedDependencies);
export const VERDICT = version2('verdict', scan.verdict, release01.upgradeVerdict);
export const GATHERED_DIGEST = version2(
  'gathered-digest',
  alert.gatheredDigest,
  release01.upgradeGatheredDigest,
);

export const NOTIFICATION = version2('notification', alert.notification, release01.upgradeNotification);
export const DIGEST_ENTRY = version2('digest-entry', alert.digestEntry, release01.upgradeNotification);
export const DELIVERY_RECORD = version1('delivery-record', alert.deliveryRecord);
export const DELIVERY_ATTEMPT = version1('delivery-attempt', alert.deliveryAttempt);
export const STOPPED_ROUTE = version1('stopped-route', alert.stoppedRoute);
export const APPLIED_OBJECT = version1('applied-object', alert.appliedObject);

export const OUTCOME = version1('outcome', queue.outcome);
export const OPEN_JOB = version1('open-job', queue.openJob);
export const SCAN_RECORD = version1('scan-record', queue.scanRecord);
export const REJECTED_PAYLOAD = version1('rejected-payload', queue.rejectedPayload);

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
