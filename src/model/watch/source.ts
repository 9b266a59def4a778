import { z } from 'zod';
import { lazily } from '../lazily.ts';
import type { ValueOf } from '../stored/value-of.ts';

/*
 * Sources are written in the configuration and on command lines, and they are part of stored schedules and of job data. They
 * are strict everywhere: a source with a setting that this release does not know must not be read without it.
 */

/** Where the lockfiles of a schedule come from: one or more targets. */
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

/** Where the lockfiles of one target come from. */
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

const NO_USER = 'expected a URL without user name and password: name an entry of `credentials`';

/** `git@host:path`, as git reads it. */
const SCP_LIKE = /^(?:[A-Za-z0-9_.][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?!\/\/|:)[^\s]+$/;

const fields = lazily(() => {
  const repository = text(4_096)
    .refine(
      isRepository,
      'expected an https, http or ssh URL, `git@host:path`, or the absolute path of a local repository',
    )
    .refine(hasNoPassword, NO_USER)
    .refine((address) => !hostOf(address).startsWith('-'), 'expected a host name');
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
    httpUrl: text(4_096)
      .refine((address) => /^https?:$/.test(protocolOf(address)), 'expected an http or https URL')
      .refine(hasNoUser, NO_USER),
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
      .array(text(1_000))
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

function isRepository(address: string): boolean {
  return ABSOLUTE.test(address) || /^(?:https?|ssh):$/.test(protocolOf(address)) || SCP_LIKE.test(address);
}

function hasNoUser(address: string): boolean {
  const url = URL.parse(address);
  return url === null || (url.username === '' && url.password === '');
}

/** The user name of an ssh URL is not a secret. */
function hasNoPassword(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'ssh:' ? url.password === '' : hasNoUser(address);
}

function hostOf(address: string): string {
  return URL.parse(address)?.hostname ?? '';
}

function protocolOf(address: string): string {
  return URL.parse(address)?.protocol ?? '';
}
