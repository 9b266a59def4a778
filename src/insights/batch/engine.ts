import type { LimitFunction } from 'p-limit';
import { type ContractProblem, formatProblem } from '../answered.ts';
import { InsightsError } from '../errors.ts';
import { MAX_BATCH } from '../request/rules.ts';

/** One page of a batch's answer. */
export interface BatchPage<Answer> {
  readonly responses: readonly Answer[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** What does not fit beside the entries. */
  readonly problems?: readonly ContractProblem[];
}

export interface Batch<Request, Answer> {
  readonly requests: readonly Request[];
  /** Throws `InsightsError`, or anything else to end the whole batch (an abort). */
  send(requests: readonly Request[], pageToken: string | undefined): Promise<BatchPage<Answer>>;
  /** Told for each stretch as it is settled; `start` is the index of the first outcome in `requests`. */
  settled(start: number, outcomes: readonly BatchOutcome<Answer>[]): void;
}

export type BatchOutcome<Answer> =
  | { readonly answer: Answer; readonly error?: never }
  | { readonly error: InsightsError; readonly answer?: never };

/** The page size of a service, once an answer has shown it; kept from batch to batch. */
export interface PageSize {
  learned: number | undefined;
}

/** Parsing is fastest at about this size, and several of them go side by side. */
const PREFERRED_BATCH = 1_000;
/** Refused requests after which bisecting stops: the service then refuses everything, not one entry. */
const MAX_REFUSALS = 500;
/** Failures in a row after which the service is taken to be down. */
const MAX_FAILURES = 2;

interface State<Request, Answer> {
  readonly batch: Batch<Request, Answer>;
  readonly page: PageSize;
  readonly limit: LimitFunction;
  refusals: number;
  failuresInARow: number;
  lastFailure: InsightsError | undefined;
  /** Why nothing more is sent. */
  halted: InsightsError | undefined;
}

/**
 * Sends any number of requests and settles each of them once, by its index and never by the echoed request, which may
 * be normalised. The first answer shows the page size; the rest goes side by side in batches of that size. A batch
 * that is refused is halved until the single offender is found. A service that is down or rate-limits is left alone.
 */
export async function runBatch<Request, Answer>(
  batch: Batch<Request, Answer>,
  page: PageSize,
  limit: LimitFunction,
): Promise<void> {
  const state: State<Request, Answer> = {
    batch,
    page,
    limit,
    refusals: 0,
    failuresInARow: 0,
    lastFailure: undefined,
    halted: undefined,
  };
  const total = batch.requests.length;
  if (total === 0) return;
  if (page.learned !== undefined) return sendRange(state, 0, total);
  const first = Math.min(total, PREFERRED_BATCH);
  await sendStretch(state, 0, first);
  // One answer that did not come is reason enough to wait with all the others.
  if (state.failuresInARow > 0) state.halted ??= state.lastFailure;
  await sendRange(state, first, total);
}

async function sendRange<Request, Answer>(
  state: State<Request, Answer>,
  start: number,
  end: number,
): Promise<void> {
  const size = Math.min(state.page.learned ?? PREFERRED_BATCH, PREFERRED_BATCH, MAX_BATCH);
  const stretches: Promise<void>[] = [];
  for (let from = start; from < end; from += size) {
    stretches.push(sendStretch(state, from, Math.min(from + size, end)));
  }
  await Promise.all(stretches);
}

/** One request for the entries from `start` to `end`, and what follows from its answer. */
async function sendStretch<Request, Answer>(
  state: State<Request, Answer>,
  start: number,
  end: number,
): Promise<void> {
  const known = state.page.learned;
  const page = await sendPage(state, start, start, end, undefined);
  if (page === undefined) return;
  const done = start + page.responses.length;
  if (done === end) {
    // The service may page larger than this; it was asked for no more.
    if (end - start === PREFERRED_BATCH) state.page.learned ??= PREFERRED_BATCH;
    return;
  }
  state.page.learned = Math.min(known ?? page.responses.length, page.responses.length);
  if (known === undefined || end - start > known) return sendRange(state, done, end);
  await followPages(state, start, done, end, page.nextPageToken);
}

/** The service pages smaller than it used to: token by token through what was asked, all else as in the first request. */
async function followPages<Request, Answer>(
  state: State<Request, Answer>,
  start: number,
  from: number,
  end: number,
  token: string,
): Promise<void> {
  let next = token;
  for (let done = from; done < end; ) {
    const page = await sendPage(state, start, done, end, next);
    if (page === undefined) return;
    done += page.responses.length;
    next = page.nextPageToken;
  }
}

/** Sends, settles what was answered (from index `from` on) and gives the page; `undefined` when all is settled. */
async function sendPage<Request, Answer>(
  state: State<Request, Answer>,
  start: number,
  from: number,
  end: number,
  token: string | undefined,
): Promise<BatchPage<Answer> | undefined> {
  try {
    const page = await state.limit(() => exchange(state, start, from, end, token));
    state.batch.settled(
      from,
      page.responses.map((answer) => ({ answer })),
    );
    return page;
  } catch (error) {
    if (!(error instanceof InsightsError)) throw error;
    await recover(state, from, end, error);
    return undefined;
  }
}

/** Runs in a slot of the limit: what an answer means for the requests in line is known before the next one starts. */
async function exchange<Request, Answer>(
  state: State<Request, Answer>,
  start: number,
  from: number,
  end: number,
  token: string | undefined,
): Promise<BatchPage<Answer>> {
  if (state.halted !== undefined) throw state.halted;
  try {
    const page = await state.batch.send(state.batch.requests.slice(start, end), token);
    checkPage(page, end - from);
    state.failuresInARow = 0;
    return page;
  } catch (error) {
    if (error instanceof InsightsError && error.code !== 'invalid') noteFailure(state, error);
    throw error;
  }
}

function noteFailure<Request, Answer>(state: State<Request, Answer>, error: InsightsError): void {
  state.failuresInARow += 1;
  state.lastFailure = error;
  if (error.code === 'rate-limited' || state.failuresInARow > MAX_FAILURES) state.halted ??= error;
}

function checkPage({ responses, nextPageToken, problems = [] }: BatchPage<unknown>, expected: number): void {
  const count = responses.length;
  const incomplete = count < expected && (count === 0 || nextPageToken === '');
  if (count > expected || incomplete) {
    const reasons = problems.map((problem) => `; ${formatProblem(problem)}`).join('');
    throw new InsightsError('contract', `a batch of ${expected} got ${count} answers${reasons}`, {
      // A wrong shape stays wrong; an answer that is merely short may be whole next time.
      retryable: problems.length === 0,
    });
  }
}

async function recover<Request, Answer>(
  state: State<Request, Answer>,
  start: number,
  end: number,
  error: InsightsError,
): Promise<void> {
  if (error.code === 'invalid' && end - start > 1 && state.refusals < MAX_REFUSALS) {
    state.refusals += 1;
    const middle = Math.ceil((start + end) / 2);
    await Promise.all([sendStretch(state, start, middle), sendStretch(state, middle, end)]);
    return;
  }
  state.batch.settled(
    start,
    Array.from({ length: end - start }, () => ({ error })),
  );
}
