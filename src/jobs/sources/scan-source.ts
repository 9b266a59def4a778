import { CodedError, messageOf } from '../../model/errors.ts';
import type { TargetSource } from '../../model/watch/source.ts';
import { JobError } from '../errors.ts';
import { followUp, type Job } from '../job.ts';
import { INGEST_LOCKFILES } from '../payloads/ingest-lockfiles.ts';
import { SCAN_SOURCE, type ScanSource } from '../payloads/sources.ts';
import { lockfileOf, scannedRevision, shortened } from './read-source.ts';

interface Result {
  readonly files: number;
  /** Why the source could not be read. */
  readonly reason?: string;
}

/**
 * Reads a source that a caller of the API or a push named, and requests the scan. A source that cannot be read fails the scan: its
 * record says why, and nothing is resolved.
 */
export const scanSource: Job<ScanSource, Result, 'sources' | 'scans'> = {
  ...SCAN_SOURCE,
  limits: { attempts: 4, backoffMs: 4_000, maxBackoffMs: 60_000, timeoutMs: 900_000, concurrency: 2 },
  async run({ scan, target, source: given, requestedAt }, { sources }, { signal, lastAttempt }) {
    try {
      const source = await checkedSource(given);
      const reading = await sources.read(source, undefined, signal);
      if (reading === 'unchanged')
        throw new RangeError('a source without a known revision cannot be unchanged');
      const { id, labels } = target;
      const next = followUp(INGEST_LOCKFILES, {
        scan,
        target: { id, labels: { ...labels } },
        lockfiles: reading.files.map(lockfileOf),
        ...scannedRevision(reading.revision),
        requestedAt,
      });
      return { result: { files: reading.files.length }, next: [next] };
    } catch (error) {
      signal.throwIfAborted();
      if (!lastAttempt && (!(error instanceof CodedError) || error.retryable)) throw error;
      const reason = shortened(messageOf(error));
      const record = { scan, target: target.id, state: 'failed', requestedAt, reason } as const;
      return { result: { files: 0, reason }, next: [], record };
    }
  },
  async onEnd({ scan, target, requestedAt }, ending, { scans }) {
    if (ending.kind !== 'failed') return;
    const reason = shortened(ending.reason);
    await scans.fail({ scan, target: target.id, state: 'failed', requestedAt, reason });
  },
  log: ({ scan, target }, { files, reason }) => ({
    facts: { scan, target: target.id, lockfiles: files, reason },
    warning: reason === undefined ? undefined : 'a source could not be read',
  }),
  spent: 'own',
};

/** Throws `JobError` for a source that is not valid; a payload may be of another program. */
async function checkedSource(given: unknown): Promise<TargetSource> {
  const { targetSourceSchema } = await import('../../model/watch/source.ts');
  const parsed = targetSourceSchema().safeParse(given);
  if (parsed.success) return parsed.data;
  throw new JobError('source-invalid', `the source is not valid: ${parsed.error.issues[0]?.message ?? ''}`);
}
