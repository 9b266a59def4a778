import { z } from 'zod';
import { knownFixSchema } from '../advice/known-fix.ts';
import { deliveryAttemptSchema, deliveryRecordSchema, stoppedRouteSchema } from '../alert/delivery.ts';
import { digestEntrySchema, gatheredDigestSchema, notificationSchema } from '../alert/notification.ts';
import { apiAnswerSchema } from '../api/api-answer.ts';
import { apiTokenSchema } from '../api/api-token.ts';
import { feedHeadSchema } from '../exploits/feed-head.ts';
import { compactLockfileSchema } from '../fleet/compact-lockfile.ts';
import { dayCountSchema } from '../fleet/day-count.ts';
import { lookUpFailureSchema } from '../fleet/freshness.ts';
import { loggedChangesSchema } from '../fleet/logged-changes.ts';
import { openAlertSchema } from '../fleet/open-alert.ts';
import { refreshedPartSchema, refreshRecordSchema } from '../fleet/refresh.ts';
import { shardLayoutSchema } from '../fleet/shard-layout.ts';
import { targetSummarySchema } from '../fleet/target-summary.ts';
import { workerRecordSchema } from '../fleet/worker-record.ts';
import { imageRepositoriesSchema } from '../image/image.ts';
import { dependencyGraphSchema, expandedDependenciesSchema } from '../lockfile/dependency-graph.ts';
import { appliedObjectSchema } from '../ports/applied-objects.ts';
import { openJobSchema } from '../queue/open-job.ts';
import { outcomeSchema } from '../queue/outcome.ts';
import { rejectedPayloadSchema } from '../queue/rejected-payload.ts';
import { advisorySchema, collectedAdvisoriesSchema } from '../scan/advisory.ts';
import { targetStateSchema } from '../scan/change.ts';
import { inventorySchema } from '../scan/inventory.ts';
import { publishedVersionsSchema, versionRecordSchema } from '../scan/resolution.ts';
import { scanRecordSchema } from '../scan/scan-record.ts';
import { storedSuppressionSchema } from '../scan/suppression.ts';
import { verdictSchema } from '../scan/verdict.ts';
import { inspectionSchema } from '../signal/inspection.ts';
import { projectScoreSchema } from '../signal/project-score.ts';
import { openTargetSchema } from '../watch/open-target.ts';
import { scheduleSchema } from '../watch/schedule.ts';
import { scheduleRunSchema } from '../watch/schedule-run.ts';
import { sourceReadingSchema } from '../watch/source-reading.ts';
import { watchedTargetSchema } from '../watch/watched-target.ts';

/** Routes as they are stored: to compare with, so that conditions which another release wrote are kept unchecked. */
const storedRoutingSchema = z.object({
  take: z.enum(['all', 'first']),
  firstScan: z.enum(['summary', 'all', 'none']),
  rules: z.array(
    z.looseObject({
      name: z.string(),
      mode: z.string(),
      match: z.looseObject({}),
      rest: z.boolean(),
    }),
  ),
});

/** The schemas of the stored values, loaded with the first value that is read. */
export const SCHEMAS = {
  targetState: targetStateSchema,
  inventory: inventorySchema,
  collectedAdvisories: collectedAdvisoriesSchema,
  expandedDependencies: expandedDependenciesSchema,
  verdict: verdictSchema,
  gatheredDigest: gatheredDigestSchema,
  notification: notificationSchema,
  digestEntry: digestEntrySchema,
  deliveryRecord: deliveryRecordSchema,
  deliveryAttempt: deliveryAttemptSchema,
  stoppedRoute: stoppedRouteSchema,
  appliedObject: appliedObjectSchema,
  lockfileInventory: compactLockfileSchema,
  targetSummary: targetSummarySchema,
  openAlert: openAlertSchema,
  loggedChanges: loggedChangesSchema,
  dayCount: dayCountSchema,
  shardLayout: shardLayoutSchema,
  workerRecord: workerRecordSchema,
  refreshedPart: refreshedPartSchema,
  refreshRecord: refreshRecordSchema,
  lookUpFailure: lookUpFailureSchema,
  routing: storedRoutingSchema,
  feedHead: feedHeadSchema,
  outcome: outcomeSchema,
  openJob: openJobSchema,
  scanRecord: scanRecordSchema,
  rejectedPayload: rejectedPayloadSchema,
  apiAnswer: apiAnswerSchema,
  apiToken: apiTokenSchema,
  schedule: scheduleSchema,
  scheduleRun: scheduleRunSchema,
  openTarget: openTargetSchema,
  watchedTarget: watchedTargetSchema,
  sourceReading: sourceReadingSchema,
  inspection: inspectionSchema,
  projectScore: projectScoreSchema,
  suppression: storedSuppressionSchema,
  cachedVersion: cached(versionRecordSchema),
  cachedPublishedVersions: cached(publishedVersionsSchema),
  cachedAdvisory: cached(advisorySchema),
  cachedDependencies: cached(dependencyGraphSchema),
  cachedImageRepositories: cached(imageRepositoriesSchema),
  cachedFix: cached(knownFixSchema),
} as const;

function cached<Schema extends z.ZodType>(record: Schema) {
  const missing = z.object({ missing: z.literal(true) });
  return z.union([
    z.object({ record, doubted: z.union([z.object({ record }), missing]).exactOptional() }),
    missing,
  ]);
}
