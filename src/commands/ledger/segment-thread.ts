/** Entry point of a thread that reads segments of a history. `import-history.ts` starts it. */
import { parentPort } from 'node:worker_threads';
import { CodedError } from '../../model/errors.ts';
import type { Git } from '../../sources/git/git-process.ts';
import { readSegment, type Segment, type SegmentHistory } from './history-segment.ts';

/** A segment to read. Its git has no signal: ending the thread ends it. */
export interface SegmentRequest {
  readonly git: Omit<Git, 'signal'>;
  readonly segment: Segment;
}

export type FromSegmentThread =
  | 'commit'
  | { readonly read: SegmentHistory }
  /** A `SourceError` by its code and message. */
  | { readonly error: { readonly code: string; readonly message: string } };

const send = (answer: FromSegmentThread): void => parentPort?.postMessage(answer);

parentPort?.on('message', async ({ git, segment }: SegmentRequest) => {
  const { signal } = new AbortController();
  try {
    send({ read: await readSegment({ ...git, signal }, segment, () => send('commit')) });
  } catch (error) {
    // Any other one ends the thread.
    if (!(error instanceof CodedError)) throw error;
    send({ error: { code: error.code, message: error.message } });
  }
});
