import { z } from 'zod';
import { printableText } from './fields.ts';

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

export interface GivenFile {
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

export type IngestedLockfile = z.infer<ReturnType<typeof lockfileField>>;

/** A lockfile of a payload with its companions. */
export const lockfileField = () =>
  z
    .strictObject({
      ...sources(),
      path: lockfilePath(),
      format: z.string().min(1).max(64).optional().describe('Name of the format; detected when left out.'),
      companions: z
        .array(companion())
        .max(64)
        .optional()
        .describe('Files that its format reads too, such as its manifest, and files that overrule tools.'),
    })
    .meta(ONE_SOURCE)
    .transform(oneSource);
