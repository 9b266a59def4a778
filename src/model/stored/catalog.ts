import type { z } from 'zod';
import type { Routing } from '../alert/routing.ts';
import type { StoredKind, ValueOf } from './kind.ts';
import type { SCHEMAS } from './schemas.ts';

type Schemas = typeof SCHEMAS;

let schemas: Schemas | undefined;

/** A kind of version 1. A change of its shape that is not an optional field gets a version and an upgrade. */
function kind<Kind extends keyof Schemas>(name: Kind): StoredKind<ValueOf<Schemas[Kind]>> {
  return {
    kind: name,
    version: 1,
    upgrades: {},
    async schema() {
      // Each `import` takes as long as checking a small value.
      schemas ??= (await import('./schemas.ts')).SCHEMAS;
      return schemas[name] as unknown as z.ZodType<ValueOf<Schemas[Kind]>>;
    },
  };
}

export const TARGET_STATE = kind('target-state');

export const INVENTORY = kind('inventory');
export const COLLECTED_ADVISORIES = kind('collected-advisories');
export const EXPANDED_DEPENDENCIES = kind('expanded-dependencies');
export const VERDICT = kind('verdict');

export const NOTIFICATION = kind('notification');
export const DIGEST_ENTRY = kind('digest-entry');
export const DELIVERY_RECORD = kind('delivery-record');
export const DELIVERY_ATTEMPT = kind('delivery-attempt');
export const STOPPED_ROUTE = kind('stopped-route');
export const APPLIED_OBJECT = kind('applied-object');

export const LOCKFILE_INVENTORY = kind('lockfile-inventory');
export const TARGET_SUMMARY = kind('target-summary');
export const OPEN_ALERT = kind('open-alert');
export const LOGGED_CHANGES = kind('logged-changes');
export const LEDGER_BLOCK = kind('ledger-block');
export const LEDGER_REFERENCE = kind('ledger-reference');
export const DAY_COUNT = kind('day-count');
export const SHARD_LAYOUT = kind('shard-layout');
export const WORKER_RECORD = kind('worker-record');

export const REFRESHED_PART = kind('refreshed-part');
export const REFRESH_RECORD = kind('refresh-record');
export const LOOK_UP_FAILURE = kind('look-up-failure');
export const ROUTING = kind('routing') as unknown as StoredKind<Routing>;

export const OUTCOME = kind('outcome');
export const OPEN_JOB = kind('open-job');
export const SCAN_RECORD = kind('scan-record');
export const REJECTED_PAYLOAD = kind('rejected-payload');

export const API_ANSWER = kind('api-answer');
export const API_TOKEN = kind('api-token');
export const FEED_HEAD = kind('feed-head');
export const OSV_RECORD = kind('osv-record');
export const FEED_POSITION = kind('feed-position');

export const SCHEDULE = kind('schedule');
export const SCHEDULE_RUN = kind('schedule-run');
export const OPEN_TARGET = kind('open-target');
export const WATCHED_TARGET = kind('watched-target');
export const SOURCE_READING = kind('source-reading');

export const INSPECTION = kind('inspection');
export const PROJECT_SCORE = kind('project-score');
export const STORED_SUPPRESSION = kind('suppression');
export const ASSIGNMENT = kind('assignment');

/* Records in the cache: their version is part of their key, so they are never upgraded. */
export const CACHED_VERSION = kind('version');
export const CACHED_ADVISORY = kind('advisory');
export const CACHED_PUBLISHED_VERSIONS = kind('published-versions');
export const CACHED_DEPENDENCIES = kind('dependencies');
export const CACHED_IMAGE_REPOSITORIES = kind('image-repositories');
export const CACHED_FIX = kind('fix');
