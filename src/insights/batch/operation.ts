import type { LimitFunction } from 'p-limit';
import type { Fields } from '../answer-check.ts';
import { type Answer, type Answered, answerOf, type ContractProblem, formatProblem } from '../answered.ts';
import { InsightsError } from '../errors.ts';
import type { AskOptions } from '../service.ts';
import { type BatchPage, type PageSize, runBatch } from './engine.ts';
import type { Settled, WindowWork } from './ordered.ts';

/** The result of one request of a batch. */
export type BatchEntry<Request, Value> = { readonly request: Request } & (
  | {
      readonly value: Value;
      /** What does not fit and is left out of `value`; paths begin at the page that held the entry. */
      readonly problems: readonly ContractProblem[];
      /** The entry of the answer as received. */
      readonly raw: unknown;
      readonly missing?: never;
      readonly error?: never;
    }
  | { readonly missing: true; readonly raw: unknown; readonly value?: never; readonly error?: never }
  | { readonly error: InsightsError; readonly value?: never; readonly missing?: never }
);

/** One of the batch operations. */
export interface BatchOperation<Request, Sent, Entry, Value> {
  /** The request in the form that is sent. Throws `InsightsError` when it breaks a rule. */
  prepare(request: Request): Sent;
  ask(
    body: { readonly requests: readonly Sent[]; readonly pageToken?: string },
    options: AskOptions,
  ): Promise<Answered<Page<Entry>>>;
  /** The name of the member of an entry that holds its value. */
  readonly member: string;
  valueOf(entry: Entry): Value | undefined;
}

interface Page<Entry> {
  readonly responses?: readonly Entry[];
  readonly nextPageToken?: string;
}

/** Runs an operation over a list of requests and settles one entry for each. Rejects only when aborted. */
export type BatchWork<Request, Value> = WindowWork<Request, BatchEntry<Request, Value>>;

/** The work of an operation, by the fields of a value that are read. All of its runs share the learned page size. */
export function createBatchWork<Request, Sent, Entry, Value>(
  operation: BatchOperation<Request, Sent, Entry, Value>,
  limit: LimitFunction,
): (fields?: Fields) => BatchWork<Request, Value> {
  const pageSize: PageSize = { learned: undefined };
  return (wanted) => {
    const fields = wanted && [
      'nextPageToken',
      ...wanted.map((field) => `responses.${operation.member}.${field}`),
    ];
    return async (requests, settled, signal) => {
      const { sent, indexes } = prepareAll(operation, requests, settled);
      const settleFrom = <Item>(
        start: number,
        items: readonly Item[],
        read: (request: Request, item: Item) => BatchEntry<Request, Value>,
      ): void =>
        settled(
          items.map((item, offset) => {
            const index = indexes[start + offset] ?? start + offset;
            return [index, read(requests[index] as Request, item)];
          }),
        );
      const batch = {
        requests: sent,
        send: async (part: readonly Sent[], pageToken: string | undefined) => {
          const body = pageToken === undefined ? { requests: part } : { requests: part, pageToken };
          return readPage(answerOf(await operation.ask(body, { signal, fields })));
        },
        answered: (start: number, answers: readonly PageEntry<Entry>[]) =>
          settleFrom(start, answers, (request, answer) => readEntry(operation, request, answer)),
        failed: (start: number, end: number, error: InsightsError) =>
          settleFrom(start, sent.slice(start, end), (request) => ({ request, error })),
      };
      await runBatch(batch, pageSize, limit);
    };
  };
}

/** Settles the requests that break a rule; returns the others in the form that is sent, with their indexes. */
function prepareAll<Request, Sent, Value>(
  operation: Pick<BatchOperation<Request, Sent, unknown, Value>, 'prepare'>,
  requests: readonly Request[],
  settled: Settled<BatchEntry<Request, Value>>,
) {
  const sent: Sent[] = [];
  const indexes: number[] = [];
  for (const [index, request] of requests.entries()) {
    try {
      sent.push(operation.prepare(request));
      indexes.push(index);
    } catch (error) {
      if (!(error instanceof InsightsError)) throw error;
      settled([[index, { request, error }]]);
    }
  }
  return { sent, indexes };
}

interface PageEntry<Entry> {
  readonly entry: Entry;
  /** The entry as received. */
  readonly raw: unknown;
  /** What does not fit and is left out of `entry`. */
  readonly problems: readonly ContractProblem[];
}

const NO_PROBLEMS: readonly ContractProblem[] = [];

/** A page with each contract problem assigned to the entry that it is about. */
function readPage<Entry>({ value, problems, raw }: Answer<Page<Entry>>): BatchPage<PageEntry<Entry>> {
  const { responses = [], nextPageToken = '' } = value;
  const byEntry = Map.groupBy(problems, ({ path }) => entryIndex(path));
  const rawEntries = (raw as { readonly responses?: readonly unknown[] }).responses;
  return {
    responses: responses.map((entry, index) => ({
      entry,
      raw: rawEntries?.[index],
      problems: byEntry.get(index) ?? NO_PROBLEMS,
    })),
    nextPageToken,
    problems: byEntry.get(undefined) ?? NO_PROBLEMS,
  };
}

function entryIndex(path: string): number | undefined {
  const index = /^\$\.responses\[(\d+)\]/.exec(path)?.[1];
  return index === undefined ? undefined : Number(index);
}

function readEntry<Request, Entry, Value>(
  operation: Pick<BatchOperation<Request, unknown, Entry, Value>, 'valueOf'>,
  request: Request,
  { entry, raw, problems }: PageEntry<Entry>,
): BatchEntry<Request, Value> {
  const value = operation.valueOf(entry);
  if (value !== undefined) return { request, value, problems, raw };
  const [problem] = problems;
  if (problem === undefined) return { request, missing: true, raw };
  // The service sent a value, and it cannot be used: that does not mean that the index lacks it.
  return { request, error: new InsightsError('contract', formatProblem(problem)) };
}
