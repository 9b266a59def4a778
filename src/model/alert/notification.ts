import { z } from 'zod';
import { changeSchema, severityCountsSchema, targetSchema, transitionSchema } from '../scan/change.ts';
import type { ValueOf } from '../stored/kind.ts';

/** The changes that are sent to the receiver of one route together: the unit of delivery. */
export type Notification = ValueOf<typeof notificationSchema>;

/** A change in a notification: a digest over several targets names the target of each. */
export type NotifiedChange = Notification['changes'][number];

export type NotificationMode = Exclude<Notification['mode'], undefined>;

export const notificationSchema = z.object({
  /** Stable over retries: receivers drop repeats by it. */
  id: z.string(),
  /** Name of its route; `default` where no routes are configured. */
  route: z.string(),
  /**
   * `digest`: the changes of one scan. `change`: one of them. `periodic`: those of many scans, collected over an
   * interval. `advisory`: those about one issue, of all targets.
   */
  mode: z.enum(['digest', 'change', 'periodic', 'advisory']).exactOptional(),
  scan: z.string(),
  /** The target. A digest over several targets has their number as id, and the labels that all of them have. */
  target: targetSchema,
  /** `requestedAt` of the scan. */
  date: z.string(),
  changes: z.array(
    changeSchema.extend({
      /** Id of the target, where it differs from that of the notification. */
      target: z.string().exactOptional(),
    }),
  ),
  /** Changes beyond those listed, which are the worst ones; absent when all are listed. */
  omitted: z.partialRecord(transitionSchema, z.number()).optional(),
  /** Open findings of the target after this scan, without notes. */
  open: severityCountsSchema,
  /** Number of facts that the scan could not determine. */
  gaps: z.number(),
  /** `opened`: summary of a target's first scan, with its worst findings. `resolved`: all findings of that summary are resolved. */
  firstScan: z.enum(['opened', 'resolved']).exactOptional(),
  /** The findings were open before the route got them: its conditions changed, or it is new. */
  existing: z.boolean().exactOptional(),
  /** The findings were reported before and are still open (`notify.remindAfter`). */
  reminder: z.boolean().exactOptional(),
  /** Page with the details, where one is configured (`notify.link`). */
  link: z.string().exactOptional(),
  /** True for `lockhound webhook test`: it reports no change of a target. */
  test: z.boolean().exactOptional(),
});

/** The changes of one scan that wait for a periodic digest. Complete in itself: the scan's outcome may expire meanwhile. */
export type DigestEntry = ValueOf<typeof digestEntrySchema>;

export const digestEntrySchema = notificationSchema
  .pick({ scan: true, target: true, date: true, changes: true, omitted: true, open: true, gaps: true })
  /** `told`: that of the target's state before the scan; `revision`: that of its state after it (`TargetState`). */
  .extend({ told: z.string().exactOptional(), revision: z.number() });
