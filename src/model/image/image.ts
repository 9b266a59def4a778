import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** A container image as a scan sees it: what its layers are built on, and nothing of their contents. */
export type ScannedImage = ValueOf<typeof scannedImageSchema>;

export const scannedImageSchema = z.object({
  /** Name of the image: a reference of its archive or layout. */
  reference: z.string().optional(),
  /** `linux/arm64/v8`. */
  platform: z.string(),
  /** Digest of its configuration, `sha256:…`. */
  digest: z.string(),
  /** The chain identifiers of each layer that is not empty, the lowest layer first: without empty layers, and with them. */
  layers: z.array(z.array(z.string())),
});

/** The public image that an image is built on. */
export type BaseImage = ValueOf<typeof baseImageSchema>;

/** Stored facts about the image of a target. */
export type ImageState = ValueOf<typeof imageStateSchema>;

export const baseImageSchema = z.object({
  chainId: z.string(),
  /** Layers that both images have. */
  layers: z.number(),
  /** Repositories of public images with exactly these layers, sorted. */
  repositories: z.array(z.string()),
});

/** The repositories of public images with exactly the layers of a chain identifier. */
export const imageRepositoriesSchema = z.object({ repositories: z.array(z.string()) });

/** An image and its base. */
export const judgedImageSchema = z.object({
  reference: z.string().exactOptional(),
  platform: z.string(),
  digest: z.string(),
  layers: z.number(),
  /** The base; absent when no public image has its lowest layers, or when that is not known. */
  base: baseImageSchema.exactOptional(),
});

export type JudgedImage = ValueOf<typeof judgedImageSchema>;

export const imageStateSchema = judgedImageSchema.extend({
  /** `requestedAt` of the scan that named it last. */
  requestedAt: z.string(),
  /** The last base that was another one. Absent when there was none, and when the image is built on it again. */
  before: baseImageSchema.exactOptional(),
});
