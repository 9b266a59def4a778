import { z } from 'zod';
import { readFile } from '../../files/read-file.ts';
import { CiError } from './errors.ts';

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);

/** The part of an event's payload that decides what a scan is compared with and where its result is shown. */
const eventSchema = z.object({
  pull_request: z.object({ number: z.int().positive(), base: z.object({ sha: commit }) }).optional(),
  merge_group: z.object({ base_sha: commit }).optional(),
  before: commit.optional(),
});

/**
 * `pullRequest`: number of the pull request; absent for other events. `bases`: expressions for the commit to compare with, the best first;
 * empty when the event names no commit.
 */
export type GithubEvent = Awaited<ReturnType<typeof readGithubEvent>>;

/** GitHub limits payloads of events to 25 MB. */
const MAX_BYTES = 33_554_432;

/** Reads the payload of the event that started the job. Throws `CiError` (`event-invalid`), `FileError`. */
export async function readGithubEvent(path: string) {
  const parsed = eventSchema.safeParse(parseJson(path, await readFile(path, { maxBytes: MAX_BYTES })));
  if (!parsed.success) throw new CiError('event-invalid', `${path}: ${z.prettifyError(parsed.error)}`);
  const { pull_request: pull, merge_group: group, before = group?.base_sha } = parsed.data;
  if (pull !== undefined) {
    return { pullRequest: pull.number, bases: [pull.base.sha] };
  }
  return { bases: before === undefined || /^0+$/.test(before) ? [] : [before] };
}

function parseJson(path: string, content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch (cause) {
    throw new CiError('event-invalid', `${path}: is not JSON`, { cause });
  }
}
