import { z } from 'zod';
import type { JobType } from './job-type.ts';
import { printableText } from './printable-text.ts';
import { scanId } from './scan-id.ts';
import { targetSchema } from './target.payload.ts';

const MAX_INLINE_CHARACTERS = 1_048_576;
const MAX_BYTES = 4_294_967_296;

const lockfilePath = printableText(1, 1_024)
  .regex(/^(?![/\\]|[A-Za-z]:)[^\\]+$/, 'relative, with forward slashes')
  .regex(/^(?!(?:.*\/)?\.\.(?:\/|$))/, 'no `..`')
  .describe(
    'Path below the root of the target, with forward slashes; with one at its end a folder (`unread` only).',
  );

const content = z.string().max(MAX_INLINE_CHARACTERS).describe('The text itself; for small files.');

const stored = {
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex')
    .describe('SHA-256 of the content; the content lies under the key `<prefix>:blob:<sha256>`.'),
  bytes: z.int().nonnegative().max(MAX_BYTES).describe('Size of the content, uncompressed.'),
};

const unread = z
  .strictObject({
    code: z.string().min(1).max(64).describe('Short name of the reason, such as `not-a-file`.'),
    message: z.string().min(1).max(4_096).describe('One line for people that names the file.'),
  })
  .describe('Why the producer could not read it: the scan reports it as unread and resolves nothing in it.');

const companionName = printableText(1, 1_024)
  .regex(/^(?![/\\]|[A-Za-z]:)[^\\]+$/, 'relative, with forward slashes')
  .describe('Path of the file relative to the folder of the lockfile: `package.json`, `../pom.xml`.');

const companion = z.union([
  z.strictObject({ name: companionName, content }),
  z.strictObject({ name: companionName, ...stored }),
  z.strictObject({ name: companionName, unread }),
]);

const common = {
  path: lockfilePath,
  format: z.string().min(1).max(64).optional().describe('Name of the format; detected when left out.'),
  companions: z
    .array(companion)
    .max(64)
    .optional()
    .describe('Files that its format can make use of: its manifest, what it includes.'),
};

const lockfile = z.union([
  z.strictObject({ ...common, content }),
  z.strictObject({ ...common, ...stored }),
  z.strictObject({ ...common, unread }),
]);

/** Payload of `ingest-lockfiles`, version 1. */
export const ingestLockfilesSchema = z.strictObject({
  scan: scanId.describe('Id of the scan, chosen by the producer; the same id is scanned once.'),
  target: targetSchema,
  lockfiles: z.array(lockfile).min(1).max(10_000),
  partial: z
    .boolean()
    .optional()
    .describe(
      'True when these are only some of the lockfiles of the target: findings in the others stay open.',
    ),
  requestedAt: z.iso
    .datetime({ offset: true })
    .describe('When the producer asked; a scan never replaces the result of one asked for later.'),
});

export type IngestLockfiles = z.infer<typeof ingestLockfilesSchema>;

/** What a producer has to know of the job, without the job itself and all that it pulls in. */
export const INGEST_LOCKFILES: JobType<IngestLockfiles> = {
  name: 'ingest-lockfiles',
  version: 1,
  schema: ingestLockfilesSchema,
  key: (payload) => payload.scan,
};

export type IngestedLockfile = z.infer<typeof lockfile>;
