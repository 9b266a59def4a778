import { z } from 'zod';
import { knownFixSchema } from '../advice/fix.ts';
import { feedPositionSchema, osvRecordSchema } from '../advisories/osv-record.ts';
import { deliveryAttemptSchema, deliveryRecordSchema, stoppedRouteSchema } from '../alert/delivery.ts';
import { digestEntrySchema, notificationSchema } from '../alert/notification.ts';
import { apiAnswerSchema } from '../api/api-answer.ts';
import { apiTokenSchema } from '../api/api-token.ts';
import { feedHeadSchema } from '../exploits/feed-head.ts';
import { compactLockfileSchema } from '../fleet/compact-lockfile.ts';
import { dayCountSchema } from '../fleet/day-count.ts';
import { openAlertSchema } from '../fleet/fleet-finding.ts';
import { ledgerBlockSchema, ledgerReferenceSchema } from '../fleet/ledger.ts';
import { loggedChangesSchema } from '../fleet/logged-changes.ts';
import { lookUpFailureSchema, refreshedPartSchema, refreshRecordSchema } from '../fleet/refresh.ts';
import { shardLayoutSchema } from '../fleet/shard-layout.ts';
import { targetSummarySchema } from '../fleet/target-summary.ts';
import { workerRecordSchema } from '../fleet/worker-record.ts';
import { imageRepositoriesSchema } from '../image/image.ts';
import { dependencyGraphSchema, expandedDependenciesSchema } from '../lockfile/dependency-graph.ts';
import { appliedObjectSchema } from '../ports/applied-objects.ts';
import { openJobSchema } from '../queue/open-job.ts';
import { outcomeSchema } from '../queue/outcome.ts';
import { rejectedPayloadSchema } from '../queue/rejected-payload.ts';
import { assignmentSchema } from '../scan/assignment.ts';
import { targetStateSchema } from '../scan/change.ts';
import {
  advisorySchema,
  collectedAdvisoriesSchema,
  inventorySchema,
  publishedVersionsSchema,
  versionRecordSchema,
} from '../scan/inventory.ts';
import { scanRecordSchema } from '../scan/scan-record.ts';
import { storedSuppressionSchema } from '../scan/suppression.ts';
import { verdictSchema } from '../scan/verdict.ts';
import { inspectionSchema, projectScoreSchema } from '../signal/inspection.ts';
import {
  openTargetSchema,
  scheduleRunSchema,
  scheduleSchema,
  watchedTargetSchema,
} from '../watch/schedule.ts';
import { sourceReadingSchema } from '../watch/source.ts';

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

/** The schemas of the stored values by their kind, loaded with the first value that is read. */
export const SCHEMAS = {
  'target-state': targetStateSchema,
  inventory: inventorySchema,
  'collected-advisories': collectedAdvisoriesSchema,
  'expanded-dependencies': expandedDependenciesSchema,
  verdict: verdictSchema,
  notification: notificationSchema,
  'digest-entry': digestEntrySchema,
  'delivery-record': deliveryRecordSchema,
  'delivery-attempt': deliveryAttemptSchema,
  'stopped-route': stoppedRouteSchema,
  'applied-object': appliedObjectSchema,
  'lockfile-inventory': compactLockfileSchema,
  'target-summary': targetSummarySchema,
  'open-alert': openAlertSchema,
  'logged-changes': loggedChangesSchema,
  'ledger-block': ledgerBlockSchema,
  'ledger-reference': ledgerReferenceSchema,
  'day-count': dayCountSchema,
  'shard-layout': shardLayoutSchema,
  'worker-record': workerRecordSchema,
  'refreshed-part': refreshedPartSchema,
  'refresh-record': refreshRecordSchema,
  'look-up-failure': lookUpFailureSchema,
  routing: storedRoutingSchema,
  'feed-head': feedHeadSchema,
  'osv-record': osvRecordSchema,
  'feed-position': feedPositionSchema,
  outcome: outcomeSchema,
  'open-job': openJobSchema,
  'scan-record': scanRecordSchema,
  'rejected-payload': rejectedPayloadSchema,
  'api-answer': apiAnswerSchema,
  'api-token': apiTokenSchema,
  schedule: scheduleSchema,
  'schedule-run': scheduleRunSchema,
  'open-target': openTargetSchema,
  'watched-target': watchedTargetSchema,
  'source-reading': sourceReadingSchema,
  inspection: inspectionSchema,
  'project-score': projectScoreSchema,
  suppression: storedSuppressionSchema,
  assignment: assignmentSchema,
  version: cached(versionRecordSchema),
  'published-versions': cached(publishedVersionsSchema),
  advisory: cached(advisorySchema),
  dependencies: cached(dependencyGraphSchema),
  'image-repositories': cached(imageRepositoriesSchema),
  fix: cached(knownFixSchema),
} as const;

function cached<Schema extends z.ZodType>(record: Schema) {
  const missing = z.object({ missing: z.literal(true) });
  return z.union([
    z.object({ record, doubted: z.union([z.object({ record }), missing]).exactOptional() }),
    missing,
  ]);
}
