import type { LimitFunction } from 'p-limit';
import { type ContractProblem, formatProblem } from '../answered.ts';
import { InsightsError } from '../errors.ts';
import { MAX_BATCH } from '../request/params.ts';

export interface BatchPage<Answer> {
  readonly responses: readonly Answer[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** Contract problems outside of the entries. */
  readonly problems?: readonly ContractProblem[];
}

export interface Batch<Request, Page extends BatchPage<unknown>> {
  readonly requests: readonly Request[];
  /**
   * Throws `InsightsError` when this request fails; any other error (an abort) ends the whole batch. `check` throws for a page that
   * does not have the shape of an answer to these requests.
   */
  send(
    requests: readonly Request[],
    pageToken: string | undefined,
    check: (page: BatchPage<unknown>) => void,
  ): Promise<Page>;
  /** Called once for each part that is answered; `start` is the index in `requests` of the first answer. */
  answered(start: number, page: Page): void;
  /** Called once for each part, from index `start` to before `end`, that failed permanently. */
  failed(start: number, end: number, error: InsightsError): void;
}

/** The facts about a service that are kept from batch to batch. */
export interface PageSize {
  /** The page size of a service, learned from the first answer. */
  learned: number | undefined;
  /** Whether it refused every request of the last batches as malformed. */
  refusesAll?: boolean;
}

/** Parsing is fastest at about this size. */
const PREFERRED_BATCH = 1_000;
/** How many refused batches are halved at most: enough to find five malformed entries in a batch of 1,000. */
const MAX_HALVINGS = 60;
/** The limit while no batch is answered: two malformed entries may be in different halves. */
const MAX_TRIALS = 3;
/** Consecutive failures that are tolerated before the service counts as unavailable. */
const MAX_FAILURES = 2;

/**
 * Sends any number of requests; each is answered or failed exactly once. Answers are correlated by index, never by the
 * echoed request, which may be normalised. The first answer shows the page size; the remaining requests are sent
 * concurrently in batches of that size. A batch that is refused as malformed is halved until the entry is found, as long as the
 * service answers other batches. No further requests are sent to a service that limits the rate or is unavailable.
 */
export async function runBatch<Request, Page extends BatchPage<unknown>>(
  { requests, send, answered, failed }: Batch<Request, Page>,
  pageSize: PageSize,
  limit: LimitFunction,
): Promise<void> {
  /** Ranges of requests that were refused together as malformed. */
  let refused: Refusal[] = [];
  let answeredBatches = 0;
  let failuresInARow = 0;
  let lastFailure: InsightsError | undefined;
  /** Set when no further requests are sent; the reason. */
  let halted: InsightsError | undefined;

  const done = pageSize.learned === undefined && requests.length > 0 ? await sendFirst() : 0;
  await sendRange(done, requests.length);
  await findMalformed();

  /** Sends the request that shows the page size. Returns the index of the first request that is still open. */
  async function sendFirst(): Promise<number> {
    const end = Math.min(requests.length, PREFERRED_BATCH);
    const page = await sendPage(0, 0, end, undefined);
    if (page !== undefined) return learnPageSize(0, end, page);
    // When the first request fails, the others are not sent.
    if (failuresInARow > 0) halted ??= lastFailure;
    return end;
  }

  /** Learns the page size from the first page of a request. Returns the index of the first request that is still open. */
  function learnPageSize(start: number, end: number, { responses }: Page): number {
    const count = responses.length;
    if (start + count < end) pageSize.learned = Math.min(pageSize.learned ?? count, count);
    // A complete answer shows only that pages are at least as large as the request.
    else if (count === PREFERRED_BATCH) pageSize.learned ??= PREFERRED_BATCH;
    return start + count;
  }

  async function sendRange(start: number, end: number): Promise<void> {
    const size = Math.min(pageSize.learned ?? PREFERRED_BATCH, PREFERRED_BATCH, MAX_BATCH);
    const parts: Promise<void>[] = [];
    for (let from = start; from < end; from += size) parts.push(sendPart(from, Math.min(from + size, end)));
    await Promise.all(parts);
  }

  /** Sends the requests from `start` to before `end` as one batch, then the requests that were not answered. */
  async function sendPart(start: number, end: number): Promise<void> {
    const known = pageSize.learned;
    const page = await sendPage(start, start, end, undefined);
    if (page === undefined) return;
    const next = learnPageSize(start, end, page);
    if (next === end) return;
    if (known === undefined || end - start > known) return sendRange(next, end);
    await followPages(start, next, end, page.nextPageToken);
  }

  /** Fetches, after a page smaller than the learned size, the remaining pages of the same request by their tokens. */
  async function followPages(start: number, from: number, end: number, token: string): Promise<void> {
    let next = token;
    for (let at = from; at < end; ) {
      const page = await sendPage(start, at, end, next);
      if (page === undefined) return;
      at += page.responses.length;
      next = page.nextPageToken;
    }
  }

  /** Sends one page and reports its answers, which begin at index `from`. `undefined` when it failed and was handled. */
  async function sendPage(start: number, from: number, end: number, token: string | undefined) {
    try {
      const page = await limit(() => exchange(start, from, end, token));
      answered(from, page);
      return page;
    } catch (error) {
      if (!(error instanceof InsightsError)) throw error;
      recover(from, end, error);
      return undefined;
    }
  }

  /** Runs within the concurrency limit, so that a failure stops the requests that are still waiting for a slot. */
  async function exchange(start: number, from: number, end: number, token: string | undefined) {
    if (halted !== undefined) throw halted;
    try {
      const page = await send(requests.slice(start, end), token, (one) => checkPage(one, end - from));
      failuresInARow = 0;
      answeredBatches += 1;
      return page;
    } catch (error) {
      if (error instanceof InsightsError && error.code !== 'invalid') countFailure(error);
      throw error;
    }
  }

  function countFailure(error: InsightsError): void {
    failuresInARow += 1;
    lastFailure = error;
    if (error.code === 'rate-limited' || failuresInARow > MAX_FAILURES) halted ??= error;
  }

  function recover(start: number, end: number, error: InsightsError): void {
    if (error.code === 'invalid') refused.push({ start, end, error });
    else failed(start, end, error);
  }

  /**
   * Halves refused batches until the malformed entries are found. Without an answer to any batch, a few halves show whether the service
   * refuses everything.
   */
  async function findMalformed(): Promise<void> {
    let halvings = 0;
    for (;;) {
      const isTrial = answeredBatches === 0;
      const allowed = isTrial
        ? Math.min(1, (pageSize.refusesAll === true ? 0 : MAX_TRIALS) - halvings)
        : MAX_HALVINGS - halvings;
      const halved = refused.filter(({ start, end }) => end - start > 1).slice(0, Math.max(0, allowed));
      if (halved.length === 0) break;
      refused = refused.filter((range) => !halved.includes(range));
      halvings += halved.length;
      await Promise.all(
        halved.flatMap(({ start, end }) => {
          const middle = Math.ceil((start + end) / 2);
          return [sendPart(start, middle), sendPart(middle, end)];
        }),
      );
    }
    if (answeredBatches > 0) pageSize.refusesAll = false;
    else if (refused.length > 0 && requests.length > 1) pageSize.refusesAll = true;
    for (const { start, end, error } of refused) failed(start, end, refusal(error, end - start));
  }

  /** A single refused entry is malformed, unless the service refuses everything. */
  function refusal(error: InsightsError, count: number): InsightsError {
    if (count === 1 && (answeredBatches > 0 || requests.length === 1)) return error;
    const cause =
      answeredBatches > 0
        ? 'it is not known which requests of this batch the service refuses'
        : 'the service refuses every request; check insights.url';
    return new InsightsError('refused', `${error.message}: ${cause}`, { cause: error });
  }
}

/** The requests from `start` to before `end` were refused together. */
interface Refusal {
  readonly start: number;
  readonly end: number;
  readonly error: InsightsError;
}

function checkPage({ responses, nextPageToken, problems = [] }: BatchPage<unknown>, expected: number): void {
  const count = responses.length;
  const incomplete = count < expected && (count === 0 || nextPageToken === '');
  if (count > expected || incomplete) {
    const reasons = problems.map((problem) => `; ${formatProblem(problem)}`).join('');
    throw new InsightsError('contract', `a batch of ${expected} got ${count} answers${reasons}`, {
      // A wrong shape will not change; an answer that is only too short may be complete next time.
      retryable: problems.length === 0,
    });
  }
}
