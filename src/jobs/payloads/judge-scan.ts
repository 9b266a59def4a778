import { z } from 'zod';
import type { ScannedImage } from '../../model/image/image.ts';
import { lazily } from '../../model/lazily.ts';
import { type FollowUp, followUp, type JobType } from '../job.ts';
import { dividedAt, scanId, scannedImage, targetSchema, timestamp } from './fields.ts';
import { lockfileField } from './lockfile-field.ts';

const MAX_PARTS = 100_000;

const schema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    target: targetSchema(),
    requestedAt: timestamp(),
    dividedAt: dividedAt(),
    advisoryParts: z.int().nonnegative().max(MAX_PARTS),
    expansionParts: z.int().nonnegative().max(MAX_PARTS),
    partial: z.literal(true).optional().describe('The scan names only some of the lockfiles of its target.'),
    lookUps: z
      .array(lockfileField())
      .max(10_000)
      .optional()
      .describe('The lockfiles whose exceptions are looked up after the verdict.'),
  }),
);

export type JudgeScan = z.infer<ReturnType<typeof schema>>;

/** Judges a scan from its inventory and the parts that its children fetched. */
export const JUDGE_SCAN: JobType<JudgeScan> = {
  name: 'judge-scan',
  version: 1,
  schema,
  key: ({ scan }) => scan,
};

const imageSchema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    target: targetSchema(),
    requestedAt: timestamp(),
    image: scannedImage(),
  }),
);

export type FindBaseImage = z.infer<ReturnType<typeof imageSchema>>;

/** Finds the public image that the image of a target is built on. */
export const FIND_BASE_IMAGE: JobType<FindBaseImage> = {
  name: 'find-base-image',
  version: 1,
  schema: imageSchema,
  key: ({ scan }) => scan,
};

/** The step of a scan that names an image. `scan`: the id of its verdict. */
export function imageSteps(
  {
    scan,
    target,
    requestedAt,
  }: Pick<FindBaseImage, 'scan' | 'requestedAt'> & {
    readonly target: { readonly id: string; readonly labels: Readonly<Record<string, string>> };
  },
  image: ScannedImage | undefined,
): readonly FollowUp[] {
  if (image === undefined) return [];
  const { id, labels } = target;
  return [followUp(FIND_BASE_IMAGE, { scan, target: { id, labels: { ...labels } }, requestedAt, image })];
}
