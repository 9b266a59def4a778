import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Routing } from '../../model/alert/routing.ts';
import type { ScannedImage } from '../../model/image/image.ts';
import { isObject } from '../../model/json-object.ts';
import type { OutcomeName } from '../../model/queue/open-job.ts';
import { notAhead } from '../../model/scan/not-ahead.ts';
import { scanIdOf } from '../../model/scan/scan-id.ts';

/** Text without control characters. */
export function printableText(minimum: number, maximum: number): z.ZodString {
  return (
    z
      .string()
      .min(minimum)
      .max(maximum)
      // The JSON Schemas for producers contain this pattern: it uses only what all regular-expression dialects support.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
      .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'expected text without control characters')
  );
}

/** A time in RFC 3339 format with an offset from UTC. */
export const timestamp = () =>
  z.iso.datetime({
    offset: true,
    error: 'expected a time by RFC 3339, such as `2026-01-31T06:00:00Z`',
  });

/** 128 characters of the producer's choice, and the hash of the target. */
const MAX_REQUESTED_ID = 149;
/** The limit counts the hash of the target, and what the verdict on an image adds. */
const MAX_ID = 180;

/** Identifies one scan of one target (`scanIdOf`); it is the key of the scan's first job. */
export const scanId = (maximum = MAX_ID) =>
  z
    .string()
    .min(1)
    .max(maximum)
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
      'expected letters, digits, `_`, `.` and `-`, beginning with a letter or digit',
    );

/** Id of a requested scan, chosen by its producer; workers add the hash of the target, unless it has that already. */
export const requestedScanId = () =>
  scanId(MAX_REQUESTED_ID).describe(
    'Id of the scan, chosen by the producer: at most 128 characters, and optionally the suffix of its target. ' +
      'The same id of one target is scanned once.',
  );

/** Routes, to compare with others. Their conditions may be those of another release. */
export const routing = () =>
  z.looseObject({
    take: z.enum(['all', 'first']),
    rules: z.array(z.looseObject({ name: z.string(), match: z.looseObject({}), rest: z.boolean() })),
  }) as unknown as z.ZodType<Routing>;

export const targetSchema = () =>
  z.strictObject({
    id: printableText(1, 200).describe('Name of the target.'),
    labels: z
      .record(printableText(1, 63), printableText(0, 200))
      .default({})
      .describe('Labels for routing and for readers of alerts.'),
  });

/** The first hexadecimal digits of the SHA-256 of a text: a part of a key. */
export function keyHash(text: string, length: number): string {
  return hash('sha256', text).slice(0, length);
}

/**
 * When a job was divided into parts, in ms since 1970. A job whose outcome Redis has lost runs again and may find other parts: those of
 * its first run may have ended, and are not these.
 */
export const dividedAt = () => z.int().nonnegative();

/** A part of a job by its number. */
interface Part {
  /** Id of the scan or refresh. No two share it. */
  readonly of: string;
  readonly dividedAt: number;
  readonly part: number;
}

/** The key of the job of one part. */
export function partKey({ of, dividedAt, part }: Part): string {
  return `${of}.${dividedAt}.${part}`;
}

/** The outcomes of the parts of a job, in the order of their numbers. */
export function partNames(job: string, divided: Omit<Part, 'part'>, count: number): readonly OutcomeName[] {
  return Array.from({ length: count }, (_, part) => ({ job, key: partKey({ ...divided, part }) }));
}

const MAX_LAYERS = 1_000;
/** Each identifier is a look-up. */
const MAX_CHAIN_IDS = 2_000;

const digest = () => z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected `sha256:` and 64 hex digits');

/** A container image by the chain identifiers of its layers. */
export const scannedImage = (): z.ZodType<ScannedImage> =>
  z
    .strictObject({
      reference: printableText(1, 512).optional().describe('As the image was named: `shop:1.0`.'),
      platform: printableText(1, 100).describe('Such as `linux/amd64`.'),
      digest: digest().describe('Digest of the configuration of the image.'),
      layers: z
        .array(z.array(digest()).min(1).max(MAX_CHAIN_IDS))
        .max(MAX_LAYERS)
        .describe(
          `The chain identifiers of each layer that is not empty, the lowest layer first: computed without empty layers and, where it differs, with them. At most ${MAX_CHAIN_IDS} together.`,
        ),
    })
    .refine(
      ({ layers }) => layers.reduce((sum, ids) => sum + ids.length, 0) <= MAX_CHAIN_IDS,
      `expected at most ${MAX_CHAIN_IDS} chain identifiers`,
    );

/** The request of other programs: a scan of a target, with an id of their choice. */
interface RequestedScan {
  readonly scan: string;
  readonly target: { readonly id: string };
  readonly requestedAt: string;
}

/** The payload with the id that belongs to its target. */
export function withOwnId<Payload extends RequestedScan>(payload: Payload): Payload {
  return { ...payload, scan: scanIdOf(payload.target.id, payload.scan) };
}

/**
 * The request with a time that is not in the future: one of the year 9999 would supersede every later scan. `now`: ms
 * since 1970.
 */
export function ownRequest<Payload extends RequestedScan>(payload: Payload, now: number): Payload {
  return { ...withOwnId(payload), requestedAt: notAhead(payload.requestedAt, now) };
}

/**
 * SHA-256, hex, of what is to be scanned: all of the payload but its id and its time. A repetition has the same; another scan with the
 * same id has not.
 */
export function contentOf({ scan: _id, requestedAt: _time, ...content }: RequestedScan): string {
  return hash('sha256', JSON.stringify(content, sorted));
}

function sorted(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
