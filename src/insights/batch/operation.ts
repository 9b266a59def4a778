import type { LimitFunction } from 'p-limit';
import type { Fields } from '../answer-check.ts';
import { type Answered, answerOf, type ContractProblem, formatProblem } from '../answered.ts';
import { InsightsError } from '../errors.ts';
import type { AskOptions } from '../service.ts';
import { type BatchOutcome, type PageSize, runBatch } from './engine.ts';
import type { WindowWork } from './ordered.ts';
import { type PageEntry, readPage } from './pages.ts';

/** What came of one request of a batch. */
export type BatchEntry<Request, Value> = { readonly request: Request } & (
  | {
      readonly value: Value;
      /** What of it does not fit; paths begin at the page it came on. */
      readonly problems: readonly ContractProblem[];
      /** The entry of the answer as it came. */
      readonly raw: unknown;
      readonly missing?: never;
      readonly error?: never;
    }
  | { readonly missing: true; readonly raw: unknown; readonly value?: never; readonly error?: never }
  | { readonly error: InsightsError; readonly value?: never; readonly missing?: never }
);

/** One of the batch operations. */
export interface BatchOperation<Request, Sent, Entry, Value> {
  readonly limit: LimitFunction;
  readonly pages: PageSize;
  /** Throws `InsightsError` for a request that breaks a rule. */
  prepare(request: Request): Sent;
  ask(
    requests: readonly Sent[],
    page: { readonly pageToken?: string },
    options: AskOptions,
  ): Promise<Answered<{ readonly responses?: readonly Entry[]; readonly nextPageToken?: string }>>;
  /** The member of an entry that holds its value. */
  readonly at: string;
  valueOf(entry: Entry): Value | undefined;
}

/** Told of entries by the index of the first. */
export type Settled<Request, Value> = (start: number, entries: readonly BatchEntry<Request, Value>[]) => void;

/** The work on one window of requests: what breaks a rule is settled without being sent. */
export function workOf<Request, Sent, Entry, Value>(
  operation: BatchOperation<Request, Sent, Entry, Value>,
  wanted: Fields | undefined,
): WindowWork<Request, BatchEntry<Request, Value>> {
  const fields = wanted && ['nextPageToken', ...wanted.map((field) => `responses.${operation.at}.${field}`)];
  return async (window, settled, signal) => {
    const options = fields === undefined ? { signal } : { signal, fields };
    const { sent, requests } = prepareAll(operation, window, settled);
    const batch = {
      requests: sent,
      send: async (part: readonly Sent[], pageToken: string | undefined) =>
        readPage(answerOf(await operation.ask(part, pageToken === undefined ? {} : { pageToken }, options))),
      settled(start: number, outcomes: readonly BatchOutcome<PageEntry<Entry>>[]) {
        for (const [offset, outcome] of outcomes.entries()) {
          const request = requests[start + offset];
          if (request === undefined) throw new RangeError(`no request has the index ${start + offset}`);
          settled(request.index, [toEntry(operation, request.request, outcome)]);
        }
      },
    };
    await runBatch(batch, operation.pages, operation.limit);
  };
}

function prepareAll<Request, Sent, Value>(
  operation: Pick<BatchOperation<Request, Sent, unknown, Value>, 'prepare'>,
  window: readonly Request[],
  settled: Settled<Request, Value>,
) {
  const sent: Sent[] = [];
  const requests: { readonly request: Request; readonly index: number }[] = [];
  for (const [index, request] of window.entries()) {
    try {
      sent.push(operation.prepare(request));
      requests.push({ request, index });
    } catch (error) {
      if (!(error instanceof InsightsError)) throw error;
      settled(index, [{ request, error }]);
    }
  }
  return { sent, requests };
}

function toEntry<Request, Entry, Value>(
  operation: Pick<BatchOperation<Request, unknown, Entry, Value>, 'valueOf'>,
  request: Request,
  outcome: BatchOutcome<PageEntry<Entry>>,
): BatchEntry<Request, Value> {
  if (outcome.error !== undefined) return { request, error: outcome.error };
  const { entry, raw, problems } = outcome.answer;
  const value = operation.valueOf(entry);
  if (value !== undefined) return { request, value, problems, raw };
  const [problem] = problems;
  if (problem === undefined) return { request, missing: true, raw };
  // There was something, and nothing of it can be used: that is no miss.
  return { request, error: new InsightsError('contract', formatProblem(problem)) };
}
