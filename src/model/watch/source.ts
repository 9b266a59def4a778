import { z } from 'zod';
import { lazily } from '../lazily.ts';
import type { ValueOf } from '../stored/kind.ts';
import { isBoundedPattern } from '../wildcard.ts';
import { type RefusedAddress, readHttpUrl, readRepositoryAddress } from './source-url.ts';

/*
 * Sources are written in the configuration and on command lines, and they are part of stored schedules and of job data. They
 * are strict everywhere: a source with a setting that this release does not know must not be read without it.
 */

/** The source of a schedule: the lockfiles of one or more targets. */
export const sourceSchema = lazily(() => {
  const { absolutePath, httpUrl, repositoryEntry, ref, ...parts } = fields();
  const { exclude, file, format, credentials } = parts;
  return z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('path'),
      paths: oneOrMore(absolutePath).describe('Files and folders on the worker, with `*`, `**` and `?`.'),
      targets: z
        .enum(['match', 'all'])
        .default('match')
        .describe('One target for each match, or one for all matches.'),
      exclude,
    }),
    z.strictObject({
      kind: z.literal('url'),
      urls: oneOrMore(httpUrl).describe('Lockfiles or SBOMs; each is one target.'),
      file: file.optional().describe('Name of the file. Default: the last part of the URL.'),
      format: format.optional(),
      credentials: credentials.optional(),
    }),
    z.strictObject({
      kind: z.literal('git'),
      repositories: oneOrMore(repositoryEntry).describe('URLs or absolute paths; each is one target.'),
      ref: ref.default('HEAD').describe('Branch or tag. Default: the default branch.'),
      credentials: credentials.optional(),
      exclude,
    }),
  ]);
});

export type Source = ValueOf<ReturnType<typeof sourceSchema>>;

/** The source of the lockfiles of one target. */
export const targetSourceSchema = lazily(() => {
  const { absolutePath, httpUrl, repository, ref, exclude, file, format, credentials } = fields();
  return z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('path'), path: absolutePath, exclude }),
    z.strictObject({ kind: z.literal('paths'), paths: z.array(absolutePath).min(1).max(10_000), exclude }),
    z.strictObject({
      kind: z.literal('url'),
      url: httpUrl,
      file: file.optional(),
      format: format.optional(),
      credentials: credentials.optional(),
    }),
    z.strictObject({
      kind: z.literal('git'),
      repository,
      ref,
      credentials: credentials.optional(),
      exclude,
    }),
  ]);
});

export type TargetSource = ValueOf<ReturnType<typeof targetSourceSchema>>;

const fields = lazily(() => {
  const repository = address(readRepositoryAddress, (place) => place.address);
  const ref = text(250)
    // The rules of `git check-ref-format`.
    .regex(
      /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|@\{))[^\s~^:?*[\\]*[^\s~^:?*[\\/.]$/,
      'expected the name of a branch or tag, or a full name such as `refs/heads/main`',
    )
    .refine(
      (name) => !name.split('/').some((part) => part.endsWith('.lock')),
      'expected no part that ends in `.lock`',
    );
  return {
    absolutePath: text(4_096).regex(ABSOLUTE, 'expected an absolute path'),
    httpUrl: address(readHttpUrl, ({ href }) => href),
    repository,
    ref,
    repositoryEntry: z.preprocess(
      (value) => (typeof value === 'string' ? { url: value } : value),
      z.strictObject({
        url: repository,
        ref: ref.optional().describe('Default: that of the source.'),
        target: text(200).optional().describe('Id of the target. Default: by the template of the schedule.'),
      }),
    ),
    exclude: z
      .array(text(1_000).refine(isBoundedPattern, 'a pattern with at most two `**`'))
      .max(1_000)
      .default([])
      .describe('Files and folders that are left out, in the notation of `.gitignore`.'),
    file: text(200).regex(/^[^/\\]+$/, 'expected a file name'),
    format: text(64).describe('Format of the file. Default: by its name, then by its content.'),
    credentials: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, 'expected the name of an entry of `credentials`')
      .describe('Name of the entry of `credentials` that is sent. The secret is never part of a source.'),
  };
});

function text(maximum: number): z.ZodString {
  return (
    z
      .string()
      .min(1)
      .max(maximum)
      // The JSON Schemas of jobs contain this pattern: it uses only what all regular-expression dialects support.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
      .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'expected text without control characters')
  );
}

/** A single value or a list. */
function oneOrMore<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).min(1).max(10_000));
}

const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])/;

/** An address in the form that goes on to git or HTTP. */
function address<Read extends object>(
  read: (text: string) => Read | RefusedAddress,
  write: (read: Read) => string,
) {
  return text(4_096).transform((given, context) => {
    const found = read(given);
    if (!('expected' in found)) return write(found);
    context.addIssue(`expected ${found.expected}`);
    return z.NEVER;
  });
}

/** The offer of a source, for a comparison without reading it again. */
export type SourceRevision = Exclude<SourceReading['revision'], undefined>;

/** A lockfile of a source, in the form of job data. */
export type SourceFile = SourceReading['files'][number];

/** A source that was read. `files` has at least one lockfile that could be read. */
export type SourceReading = ValueOf<typeof sourceReadingSchema>;

const content = z.union([
  /** The content is in the blob store under its hash. */
  z.object({ sha256: z.string(), bytes: z.number() }),
  z.object({ unread: z.object({ code: z.string(), message: z.string() }) }),
]);

export const sourceReadingSchema = z.object({
  /** The revision; absent where the source has none, such as a folder. */
  revision: z
    .object({
      /** The commit of a git repository. */
      commit: z.string().exactOptional(),
      /** RFC 3339: when that commit was made. */
      committedAt: z.string().exactOptional(),
      /** Validators of an HTTP answer. */
      etag: z.string().exactOptional(),
      lastModified: z.string().exactOptional(),
    })
    .exactOptional(),
  files: z.array(
    z
      .object({
        /** Below the root of the target, with forward slashes. */
        path: z.string(),
        format: z.string().exactOptional(),
        companions: z.array(z.object({ name: z.string() }).and(content)).exactOptional(),
      })
      .and(content),
  ),
});
