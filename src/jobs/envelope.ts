import { z } from 'zod';
import { CodedError, messageOf } from '../model/errors.ts';
import type { Envelope } from '../model/queue/follow-up.ts';
import type { JobType } from './job-type.ts';

/** Data of a job that is not JSON, as it stands in the queue; a producer in another language can write such. */
export class UnparsedData {
  readonly text: string;
  /** What is wrong with it. */
  readonly reason: string;

  constructor(text: string, reason: string) {
    this.text = text;
    this.reason = reason;
  }
}

/**
 * - `invalid-payload`: it does not fit; only the producer can mend it.
 * - `newer-version`: a newer release wrote it; a newer worker will take it.
 */
export type EnvelopeErrorCode = 'invalid-payload' | 'newer-version';

export class EnvelopeError extends CodedError<EnvelopeErrorCode> {
  /** What is wrong, each with its JSON path in the job's data. */
  readonly issues: readonly EnvelopeIssue[];

  constructor(code: EnvelopeErrorCode, message: string, issues: readonly EnvelopeIssue[]) {
    super(code, message, code === 'newer-version' ? { retryable: true } : {});
    this.issues = issues;
  }
}

export interface EnvelopeIssue {
  readonly path: string;
  readonly reason: string;
}

const envelopeSchema = z.strictObject({
  version: z.int().positive(),
  key: z.string().min(1).max(512),
  payload: z.unknown(),
});

/** Checks a payload and puts it into an envelope of the job's version. Throws `EnvelopeError` (`invalid-payload`). */
export function sealEnvelope<Payload>(type: JobType<Payload>, payload: NoInfer<Payload>): Envelope {
  const parsed = type.schema.safeParse(payload);
  if (!parsed.success) throw invalid(type.name, issuesOf(parsed.error, ['payload']));
  return { version: type.version, key: type.key(parsed.data), payload: parsed.data };
}

/**
 * Opens a job's data: validates, upgrades payloads of older versions step by step and checks that the key is the one
 * its payload has. Throws `EnvelopeError`.
 */
export function openEnvelope<Payload>(
  job: JobType<Payload>,
  data: unknown,
): { readonly key: string; readonly payload: Payload } {
  if (data instanceof UnparsedData) {
    throw invalid(job.name, [{ path: '(root)', reason: `expected JSON: ${data.reason}` }]);
  }
  const envelope = envelopeSchema.safeParse(data);
  if (!envelope.success) throw invalid(job.name, issuesOf(envelope.error, []));
  const { version, key, payload } = envelope.data;
  if (version > job.version) throw newer(job, version);
  const parsed = job.schema.safeParse(upgrade(job, version, payload));
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
        { path: 'version', reason: `${version} is no longer understood; write ${job.version}` },
      ]);
    }
    try {
      current = step(current);
    } catch (error) {
      // Payloads of older versions come unchecked: a step that trips over one says that it does not fit.
      throw invalid(job.name, [
        { path: 'payload', reason: `is not one of version ${version} (${messageOf(error)})` },
      ]);
    }
  }
  return current;
}

function issuesOf(error: z.ZodError, base: readonly string[]): readonly EnvelopeIssue[] {
  return error.issues.map((issue) => ({
    path: [...base, ...issue.path.map(String)].join('.') || '(root)',
    // What is wrong with the name of a field does not stand in the message itself.
    reason:
      issue.code === 'invalid_key'
        ? `its name: ${issue.issues.map(({ message }) => message).join('; ')}`
        : issue.message,
  }));
}

const SHOWN_ISSUES = 5;

function invalid(job: string, issues: readonly EnvelopeIssue[]): EnvelopeError {
  const shown = issues.slice(0, SHOWN_ISSUES).map(({ path, reason }) => `${path}: ${reason}`);
  const rest = issues.length > SHOWN_ISSUES ? `; and ${issues.length - SHOWN_ISSUES} more` : '';
  return new EnvelopeError(
    'invalid-payload',
    `the data of a ${job} job does not fit: ${shown.join('; ')}${rest}`,
    issues,
  );
}

function newer(job: Pick<JobType, 'name' | 'version'>, version: number): EnvelopeError {
  const reason = `${version} is newer than ${job.version}, the newest that this release knows`;
  return new EnvelopeError('newer-version', `version of a ${job.name} job: ${reason}`, [
    { path: 'version', reason },
  ]);
}
