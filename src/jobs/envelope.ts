import { z } from 'zod';
import { CodedError, messageOf } from '../model/errors.ts';
import { lazily } from '../model/lazily.ts';
import type { Envelope } from '../model/queue/open-job.ts';
import type { JobType } from './job.ts';

/** Data of a queued job that is not JSON. */
export class UnparsedData {
  readonly text: string;
  readonly reason: string;

  constructor(text: string, reason: string) {
    this.text = text;
    this.reason = reason;
  }
}

/** Reads the data of a queued job, which is text in Redis. */
export function parseData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return new UnparsedData(text, messageOf(error));
  }
}

/**
 * - `invalid-payload`: only the producer can correct it.
 * - `newer-version`: a newer release wrote it; a newer worker will run it.
 */
export type EnvelopeErrorCode = 'invalid-payload' | 'newer-version';

export class EnvelopeError extends CodedError<EnvelopeErrorCode> {
  readonly issues: readonly EnvelopeIssue[];

  constructor(code: EnvelopeErrorCode, message: string, issues: readonly EnvelopeIssue[]) {
    super(code, message, code === 'newer-version' ? { retryable: true } : {});
    this.issues = issues;
  }
}

export interface EnvelopeIssue {
  /** JSON path in the job's data. */
  readonly path: string;
  readonly reason: string;
}

const envelopeSchema = lazily(() =>
  z.strictObject({
    version: z.int().positive(),
    key: z.string().min(1).max(512),
    payload: z.unknown(),
  }),
);

/** Validates a payload and wraps it in an envelope of the job's version. Throws `EnvelopeError` (`invalid-payload`). */
export function sealEnvelope<Payload>(type: JobType<Payload>, payload: NoInfer<Payload>): Envelope {
  const parsed = type.schema().safeParse(payload);
  if (!parsed.success) throw invalid(type.name, issuesOf(parsed.error, ['payload']));
  return { version: type.version, key: type.key(parsed.data), payload: parsed.data };
}

/**
 * Reads a job's data: upgrades payloads of older versions step by step, validates the payload and checks that the key is the
 * payload's. Throws `EnvelopeError`.
 */
export function openEnvelope<Payload>(
  job: JobType<Payload>,
  data: unknown,
): { readonly key: string; readonly payload: Payload } {
  if (data instanceof UnparsedData) {
    throw invalid(job.name, [{ path: '(root)', reason: `expected JSON: ${data.reason}` }]);
  }
  const envelope = envelopeSchema().safeParse(data);
  if (!envelope.success) throw invalid(job.name, issuesOf(envelope.error, []));
  const { version, key, payload } = envelope.data;
  if (version > job.version) throw newer(job, version);
  const parsed = job.schema().safeParse(upgrade(job, version, payload));
  if (!parsed.success) throw invalid(job.name, issuesOf(parsed.error, ['payload']));
  const expected = job.key(parsed.data);
  if (expected !== key) {
    throw invalid(job.name, [
      { path: 'key', reason: `is "${key}", but this payload's key is "${expected}"` },
    ]);
  }
  return { key, payload: parsed.data };
}

function upgrade(
  job: Pick<JobType, 'name' | 'version' | 'upgrades'>,
  from: number,
  payload: unknown,
): unknown {
  let current = payload;
  for (let version = from; version < job.version; version += 1) {
    const step = job.upgrades?.[version];
    if (step === undefined) {
      throw invalid(job.name, [
        { path: 'version', reason: `${version} is no longer supported; write ${job.version}` },
      ]);
    }
    try {
      current = step(current);
    } catch (error) {
      // A payload of an older version is not validated before its upgrade: an error shows that it is malformed.
      throw invalid(job.name, [
        { path: 'payload', reason: `is not valid for version ${version} (${messageOf(error)})` },
      ]);
    }
  }
  return current;
}

function issuesOf(error: z.ZodError, base: readonly string[]): readonly EnvelopeIssue[] {
  return error.issues.map((issue) => ({
    path: [...base, ...issue.path.map(String)].join('.') || '(root)',
    reason: reasonOf(issue),
  }));
}

/** Zod's own messages do not say what is wrong with a name, and call a property that is missing `undefined`. */
function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key')
    return `its name: ${issue.issues.map(({ message }) => message).join('; ')}`;
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined'))
    return `is missing: expected ${issue.expected}`;
  return issue.message;
}

const SHOWN_ISSUES = 5;

function invalid(job: string, issues: readonly EnvelopeIssue[]): EnvelopeError {
  const shown = issues.slice(0, SHOWN_ISSUES).map(({ path, reason }) => `${path}: ${reason}`);
  const rest = issues.length > SHOWN_ISSUES ? `; and ${issues.length - SHOWN_ISSUES} more` : '';
  return new EnvelopeError(
    'invalid-payload',
    `invalid data of a job "${job}": ${shown.join('; ')}${rest}`,
    issues,
  );
}

function newer(job: Pick<JobType, 'name' | 'version'>, version: number): EnvelopeError {
  const reason = `${version} is newer than ${job.version}, the newest version that this release supports`;
  return new EnvelopeError('newer-version', `version of a job "${job.name}": ${reason}`, [
    { path: 'version', reason },
  ]);
}
