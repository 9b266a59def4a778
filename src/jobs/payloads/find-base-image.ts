import { z } from 'zod';
import type { ScannedImage } from '../../model/image/image.ts';
import { lazily } from '../../model/lazily.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import type { JobType } from '../job-type.ts';
import { scanId, targetSchema, timestamp } from './fields.ts';
import { scannedImage } from './scanned-image.ts';

const schema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    target: targetSchema(),
    requestedAt: timestamp(),
    image: scannedImage(),
  }),
);

export type FindBaseImage = z.infer<ReturnType<typeof schema>>;

/** Finds the public image that the image of a target is built on. */
export const FIND_BASE_IMAGE: JobType<FindBaseImage> = {
  name: 'find-base-image',
  version: 1,
  schema,
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
