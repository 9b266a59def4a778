import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { releasedTarget, releaseIdOf } from '../../model/fleet/release.ts';
import { lazily } from '../../model/lazily.ts';
import { newScanId, scanIdOf } from '../../model/scan/scan-id.ts';
import type { ProducedContent, ScanRequest, StoredContent } from '../../scan/read.ts';
import type { JobType } from '../job.ts';
import {
  contentOf,
  ownRequest,
  printableText,
  requestedScanId,
  scannedImage,
  targetSchema,
  timestamp,
} from './fields.ts';
import { type IngestedLockfile, lockfileField } from './lockfile-field.ts';
import { checkRelease, ofRelease, releaseName, supportDay } from './release.ts';

const scannedRevision = () =>
  z.strictObject({
    commit: z
      .string()
      .regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'expected a full commit id in lower-case hex')
      .exactOptional()
      .describe('The commit of a git repository.'),
    committedAt: timestamp().exactOptional().describe('When that commit was made.'),
    etag: printableText(1, 200).exactOptional().describe('Validator of an HTTP answer.'),
  });

const schema = lazily(() =>
  z
    .strictObject({
      scan: requestedScanId(),
      target: targetSchema(),
      lockfiles: z
        .array(lockfileField())
        .max(10_000)
        .describe('At least one, or none in a scan of an image alone, which says nothing about lockfiles.'),
      image: scannedImage().optional().describe('The container image that the target is.'),
      revision: scannedRevision()
        .optional()
        .describe('The revision that the lockfiles were read from; the ledger of the target names it.'),
      release: releaseName()
        .optional()
        .describe(
          'Name of the release of the target that these are all lockfiles of. It is a target of its own, and no scan changes its lockfiles.',
        ),
      supportedUntil: supportDay()
        .optional()
        .describe(
          'The last day, in UTC, on which the release is judged with the fleet. Default: no such day.',
        ),
      partial: z
        .boolean()
        .optional()
        .describe(
          'True when these are only some of the lockfiles of the target: findings in the others stay open.',
        ),
      requestedAt: timestamp().describe(
        'When the scan was requested; it never replaces the result of a scan requested later.',
      ),
    })
    .meta({
      anyOf: [{ properties: { lockfiles: { minItems: 1 } } }, { required: ['image'] }],
    })
    .superRefine((payload, context) => {
      const { lockfiles, image } = payload;
      if (image === undefined && lockfiles.length === 0) {
        context.addIssue({
          code: 'custom',
          path: ['lockfiles'],
          message: 'expected a lockfile, or an `image`',
        });
      }
      checkRelease(payload, (path, message) => context.addIssue({ code: 'custom', path: [path], message }));
    })
    .transform(ofRelease),
);

export type IngestLockfiles = z.infer<ReturnType<typeof schema>>;

/** Scans lockfiles; the job that producers enqueue. */
export const INGEST_LOCKFILES: JobType<IngestLockfiles> = {
  name: 'ingest-lockfiles',
  version: 1,
  schema,
  key: (payload) => payload.scan,
  requested: { own: ownRequest, content: contentOf },
};

/** Stores a content under its hash. */
type PutContent = (content: Buffer) => Promise<StoredContent>;

/** The payload of a request; `put` stores the contents under their hash. */
export async function scanPayload(request: ScanRequest, put: PutContent): Promise<IngestLockfiles> {
  const lockfiles: IngestedLockfile[] = [];
  for (const file of request.lockfiles) {
    const { path, format, companions = [] } = file;
    const storedCompanions = [];
    for (const { name, ...companion } of companions) {
      storedCompanions.push({ name, ...(await storedFile(companion, put)) });
    }
    lockfiles.push({
      path,
      ...(await storedFile(file, put)),
      format,
      ...(storedCompanions.length === 0 ? {} : { companions: storedCompanions }),
    });
  }
  const { target, release, supportedUntil, image, revision } = request;
  const id = release === undefined ? target.id : releaseIdOf(releasedTarget(target.id), release);
  return {
    scan: scanIdOf(id, request.scan ?? newScanId()),
    target: { id, labels: { ...target.labels } },
    lockfiles,
    ...defined({ image, revision, release, supportedUntil }),
    requestedAt: request.requestedAt ?? new Date().toISOString(),
    ...(request.partial === true ? { partial: true } : {}),
  };
}

async function storedFile(file: ProducedContent | StoredContent, put: PutContent) {
  if ('unread' in file) return { unread: file.unread };
  if ('sha256' in file) return { sha256: file.sha256, bytes: file.bytes };
  const { content } = file;
  return await put(typeof content === 'string' ? Buffer.from(content) : content);
}
