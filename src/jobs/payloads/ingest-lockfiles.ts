import { hash } from 'node:crypto';
import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { releasedTarget, releaseIdOf, releaseIn } from '../../model/fleet/release.ts';
import type { ReleaseState } from '../../model/fleet/target-summary.ts';
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

const MAX_INLINE_CHARACTERS = 1_048_576;
const MAX_BYTES = 4_294_967_296;

const RELATIVE = /^(?![/\\]|[A-Za-z]:)[^\\]+$/;
const RELATIVE_EXPECTED = 'expected a relative path with forward slashes';

const lockfilePath = () =>
  printableText(1, 1_024)
    .regex(RELATIVE, RELATIVE_EXPECTED)
    .regex(/^(?!(?:.*\/)?\.\.(?:\/|$))/, 'expected a path below the root of the target, without `..`')
    .describe(
      'Path below the root of the target, with forward slashes; a folder (`unread` only) ends with one.',
    );

const content = () => z.string().max(MAX_INLINE_CHARACTERS).describe('The text itself; for small files.');

const stored = () => ({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in lower-case hex (64 digits)')
    .describe('SHA-256 of the content; the content is stored under the key `<prefix>:blob:<sha256>`.'),
  bytes: z.int().nonnegative().max(MAX_BYTES).describe('Size of the content, uncompressed.'),
});

const unread = () =>
  z
    .strictObject({
      code: z.string().min(1).max(64).describe('Short name of the reason, such as `not-a-file`.'),
      message: z.string().min(1).max(4_096).describe('One line that names the file.'),
    })
    .describe(
      'Why the producer could not read it: the scan reports it as unread and resolves nothing in it.',
    );

const companionName = () =>
  printableText(1, 1_024)
    .regex(RELATIVE, RELATIVE_EXPECTED)
    .describe('Path of the file relative to the folder of the lockfile: `package.json`, `../pom.xml`.');

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

const MAX_ID = 200;

const releaseName = () =>
  z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._+~/-]*$/, 'expected letters, digits and `._+~/-`, such as `2.4.1`');

const DAY_EXPECTED = 'expected a day, such as `2028-01-01`';

function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The parts of a payload that a release restricts. */
interface ReleasedPayload {
  readonly target: { readonly id: string };
  readonly release?: string | undefined;
  readonly supportedUntil?: string | undefined;
  readonly partial?: boolean | undefined;
  readonly lockfiles: readonly object[];
}

function checkRelease(
  { target, release, supportedUntil, partial = false, lockfiles }: ReleasedPayload,
  addIssue: (path: string, message: string) => void,
): void {
  const named = releaseIn(target.id)?.release;
  if (named !== undefined && named !== release)
    addIssue('target', 'this is the id of a release: expected the id of its target, and `release`');
  if (release === undefined) {
    if (supportedUntil !== undefined) addIssue('supportedUntil', 'expected a `release`');
    return;
  }
  if (releaseIdOf(releasedTarget(target.id), release).length > MAX_ID)
    addIssue('release', `expected an id of the target and a name with at most ${MAX_ID} characters together`);
  if (partial) addIssue('partial', 'a release has all lockfiles of its target');
  if (lockfiles.length === 0 || lockfiles.some((file) => 'unread' in file))
    addIssue('lockfiles', 'expected the content of each lockfile of a release');
}

/** A release is the target of its scan. */
function ofRelease<Payload extends ReleasedPayload>(payload: Payload): Payload {
  const { target, release } = payload;
  if (release === undefined) return payload;
  return { ...payload, target: { ...target, id: releaseIdOf(releasedTarget(target.id), release) } };
}

/** A file has exactly one of: its content, the hash of stored content, the reason why it is unread. */
const sources = () => ({
  content: content().optional(),
  ...z.object(stored()).partial().shape,
  unread: unread().optional(),
});
const ONE_SOURCE = {
  oneOf: [
    { required: ['content'], properties: { sha256: false, bytes: false, unread: false } },
    { required: ['sha256', 'bytes'], properties: { content: false, unread: false } },
    { required: ['unread'], properties: { content: false, sha256: false, bytes: false } },
  ],
};

interface GivenFile {
  readonly content?: string | undefined;
  readonly sha256?: string | undefined;
  readonly bytes?: number | undefined;
  readonly unread?: z.infer<ReturnType<typeof unread>> | undefined;
}

type FileSource =
  | { content: string }
  | { sha256: string; bytes: number }
  | { unread: z.infer<ReturnType<typeof unread>> };

function oneSource<File extends GivenFile>(
  { content: text, sha256, bytes, unread: reason, ...file }: File,
  context: z.RefinementCtx,
): Omit<File, keyof GivenFile> & FileSource {
  const present = [text, sha256 ?? bytes, reason].filter((one) => one !== undefined);
  if (present.length === 1) {
    if (text !== undefined) return { ...file, content: text };
    if (reason !== undefined) return { ...file, unread: reason };
    if (sha256 !== undefined && bytes !== undefined) return { ...file, sha256, bytes };
  }
  context.addIssue('expected one of `content`, `sha256` with `bytes`, or `unread`');
  return z.NEVER;
}

const companion = () =>
  z
    .strictObject({ name: companionName(), ...sources() })
    .meta(ONE_SOURCE)
    .transform(oneSource);

const lockfile = () =>
  z
    .strictObject({
      ...sources(),
      path: lockfilePath(),
      format: z.string().min(1).max(64).optional().describe('Name of the format; detected when left out.'),
      companions: z
        .array(companion())
        .max(64)
        .optional()
        .describe('Files that its format reads too: its manifest, files that it includes.'),
    })
    .meta(ONE_SOURCE)
    .transform(oneSource);

const schema = lazily(() =>
  z
    .strictObject({
      scan: requestedScanId(),
      target: targetSchema(),
      lockfiles: z
        .array(lockfile())
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
      supportedUntil: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/, DAY_EXPECTED)
        .refine(isDay, DAY_EXPECTED)
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

/** What is stored of a release; `undefined` for the scan of another target. */
export function releaseOf({
  release,
  supportedUntil,
  lockfiles,
}: Pick<IngestLockfiles, 'release' | 'supportedUntil' | 'lockfiles'>): ReleaseState | undefined {
  if (release === undefined) return undefined;
  const hashOf = (file: object) => {
    if ('content' in file) return hash('sha256', String(file.content));
    return 'sha256' in file ? String(file.sha256) : '';
  };
  const files = lockfiles.map((file) => [
    ...[file.path, file.format ?? '', hashOf(file)],
    ...(file.companions ?? []).map((one) => `${one.name} ${hashOf(one)}`).sort(),
  ]);
  const digest = hash('sha256', JSON.stringify(files.map((file) => JSON.stringify(file)).sort()));
  return { digest, ...defined({ supportedUntil }) };
}

type IngestedLockfile = z.infer<ReturnType<typeof lockfile>>;

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
