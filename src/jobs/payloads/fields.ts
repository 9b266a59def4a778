import { z } from 'zod';
import type { Routing } from '../../model/alert/routing.ts';

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
/** With the hash of the target, and with what the verdict on an image adds. */
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

/** The key of one job of a scan that is split into parts. It contains the scan's id: no two scans share a key. */
export function partKey({ scan, part }: { readonly scan: string; readonly part: number }): string {
  return `${scan}.${part}`;
}
