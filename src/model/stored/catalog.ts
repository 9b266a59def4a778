import type { z } from 'zod';
import type { Routing } from '../alert/routing.ts';
import type { StoredForm, StoredKind } from './kind.ts';
import { PACKED_INVENTORY } from './packed-inventory.ts';
import { PACKED_VERDICT } from './packed-verdict.ts';
import * as release01 from './release-0-1.ts';
import type { SCHEMAS } from './schemas.ts';
import type { ValueOf } from './value-of.ts';

type Load<Schema> = () => Promise<Schema>;

let schemas: typeof SCHEMAS | undefined;

function schemaOf<Name extends keyof typeof SCHEMAS>(name: Name): Load<(typeof SCHEMAS)[Name]> {
  return async () => {
    // Each `import` takes as long as checking a small value.
    schemas ??= (await import('./schemas.ts')).SCHEMAS;
    return schemas[name];
  };
}

/** A kind whose shape has only grown optional fields since release 0.1.0. */
function version1<Schema extends z.ZodType>(kind: string, schema: Load<Schema>): StoredKind<ValueOf<Schema>> {
  return kindOf(kind, 1, schema, {});
}

/** A kind whose version 1 is what release 0.1.0 wrote. */
function version2<Schema extends z.ZodType>(
  kind: string,
  schema: Load<Schema>,
  upgrade: (value: unknown) => unknown,
): StoredKind<ValueOf<Schema>> {
  return kindOf(kind, 2, schema, { 1: upgrade });
}

/** A kind whose values are packed from version 3 on. */
function packedSince3<Value>(kind: StoredKind<Value>, form: StoredForm<Value>): StoredKind<Value> {
  return { ...nextVersion(kind), form };
}

/** A kind whose values of its last version are also of the next one. */
function nextVersion<Value>(kind: StoredKind<Value>): StoredKind<Value> {
  const { version, upgrades } = kind;
  return { ...kind, version: version + 1, upgrades: { ...upgrades, [version]: (value) => value } };
}

/** A record in the cache: its version is part of its key, so it is never upgraded. */
function cached<Schema extends z.ZodType>(
  kind: string,
  version: number,
  schema: Load<Schema>,
): StoredKind<ValueOf<Schema>> {
  return kindOf(kind, version, schema, {});
}

function kindOf<Schema extends z.ZodType>(
  kind: string,
  version: number,
  schema: Load<Schema>,
  upgrades: StoredKind<unknown>['upgrades'],
): StoredKind<ValueOf<Schema>> {
  return { kind, version, schema: schema as Load<z.ZodType<ValueOf<Schema>>>, upgrades };
}

export const TARGET_STATE = version2('target-state', schemaOf('targetState'), release01.upgradeState);

/** Since version 4 lockfiles may be in their compact form. */
export const INVENTORY = nextVersion(
  packedSince3(version2('inventory', schemaOf('inventory'), release01.upgradeInventory), PACKED_INVENTORY),
);
export const COLLECTED_ADVISORIES = {
  ...version2('collected-advisories', schemaOf('collectedAdvisories'), release01.upgradeAdvisories),
  form: release01.RATED_ADVISORIES,
};
export const EXPANDED_DEPENDENCIES = version1('expanded-dependencies', schemaOf('expandedDependencies'));
export const VERDICT = packedSince3(
  version2('verdict', schemaOf('verdict'), release01.upgradeVerdict),
  PACKED_VERDICT,
);
export const GATHERED_DIGEST = version2(
  'gathered-digest',
  schemaOf('gatheredDigest'),
  release01.upgradeGatheredDigest,
);

export const NOTIFICATION = version2('notification', schemaOf('notification'), release01.upgradeNotification);
export const DIGEST_ENTRY = version2('digest-entry', schemaOf('digestEntry'), release01.upgradeNotification);
export const DELIVERY_RECORD = version1('delivery-record', schemaOf('deliveryRecord'));
export const DELIVERY_ATTEMPT = version1('delivery-attempt', schemaOf('deliveryAttempt'));
export const STOPPED_ROUTE = version1('stopped-route', schemaOf('stoppedRoute'));
export const APPLIED_OBJECT = version1('applied-object', schemaOf('appliedObject'));

export const LOCKFILE_INVENTORY = version1('lockfile-inventory', schemaOf('lockfileInventory'));
export const TARGET_SUMMARY = version1('target-summary', schemaOf('targetSummary'));
export const OPEN_ALERT = version1('open-alert', schemaOf('openAlert'));
export const LOGGED_CHANGES = version1('logged-changes', schemaOf('loggedChanges'));
export const DAY_COUNT = version1('day-count', schemaOf('dayCount'));
export const SHARD_LAYOUT = version1('shard-layout', schemaOf('shardLayout'));
export const WORKER_RECORD = version1('worker-record', schemaOf('workerRecord'));

export const REFRESHED_PART = version1('refreshed-part', schemaOf('refreshedPart'));
export const REFRESH_RECORD = version1('refresh-record', schemaOf('refreshRecord'));
export const LOOK_UP_FAILURE = version1('look-up-failure', schemaOf('lookUpFailure'));
export const ROUTING = version1('routing', schemaOf('routing')) as unknown as StoredKind<Routing>;

export const OUTCOME = version1('outcome', schemaOf('outcome'));
export const OPEN_JOB = version1('open-job', schemaOf('openJob'));
export const SCAN_RECORD = version1('scan-record', schemaOf('scanRecord'));
export const REJECTED_PAYLOAD = version1('rejected-payload', schemaOf('rejectedPayload'));

export const API_ANSWER = version1('api-answer', schemaOf('apiAnswer'));
export const API_TOKEN = version1('api-token', schemaOf('apiToken'));
export const FEED_HEAD = version1('feed-head', schemaOf('feedHead'));

export const SCHEDULE = version1('schedule', schemaOf('schedule'));
export const SCHEDULE_RUN = version1('schedule-run', schemaOf('scheduleRun'));
export const OPEN_TARGET = version1('open-target', schemaOf('openTarget'));
export const WATCHED_TARGET = version1('watched-target', schemaOf('watchedTarget'));
export const SOURCE_READING = version1('source-reading', schemaOf('sourceReading'));

export const INSPECTION = version1('inspection', schemaOf('inspection'));
export const PROJECT_SCORE = version1('project-score', schemaOf('projectScore'));
export const STORED_SUPPRESSION = version1('suppression', schemaOf('suppression'));

export const CACHED_VERSION = cached('version', 1, schemaOf('cachedVersion'));
export const CACHED_ADVISORY = cached('advisory', 3, schemaOf('cachedAdvisory'));
export const CACHED_PUBLISHED_VERSIONS = cached('published-versions', 2, schemaOf('cachedPublishedVersions'));
export const CACHED_DEPENDENCIES = cached('dependencies', 1, schemaOf('cachedDependencies'));
export const CACHED_IMAGE_REPOSITORIES = cached('image-repositories', 1, schemaOf('cachedImageRepositories'));
export const CACHED_FIX = cached('fix', 2, schemaOf('cachedFix'));

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
  LOCKFILE_INVENTORY,
  TARGET_SUMMARY,
  OPEN_ALERT,
  LOGGED_CHANGES,
  DAY_COUNT,
  SHARD_LAYOUT,
  WORKER_RECORD,
  REFRESHED_PART,
  REFRESH_RECORD,
  LOOK_UP_FAILURE,
  ROUTING as unknown as StoredKind<unknown>,
  OUTCOME,
  OPEN_JOB,
  SCAN_RECORD,
  REJECTED_PAYLOAD,
  API_ANSWER,
  API_TOKEN,
  FEED_HEAD,
  SCHEDULE,
  SCHEDULE_RUN,
  OPEN_TARGET,
  WATCHED_TARGET,
  SOURCE_READING,
  INSPECTION,
  PROJECT_SCORE,
  STORED_SUPPRESSION,
  CACHED_VERSION,
  CACHED_ADVISORY,
  CACHED_PUBLISHED_VERSIONS,
  CACHED_DEPENDENCIES,
  CACHED_IMAGE_REPOSITORIES,
  CACHED_FIX,
];
