import type { LimitFunction } from 'p-limit';
import { UNCOVERED } from '../../model/api/extensions.ts';
import { isObject } from '../../model/json-object.ts';
import type { Fields } from '../answer-check.ts';
import { type Answer, type Answered, answerOf, type ContractProblem, formatProblem } from '../answered.ts';
import { InsightsError } from '../errors.ts';
import { otherSubject } from '../records/subject.ts';
import type { BatchAskOptions } from '../service.ts';
import { type BatchPage, type PageSize, runBatch } from './engine.ts';
import type { Settled, WindowWork } from './ordered.ts';

/** The result of one request of a batch. */
export type BatchEntry<Request, Value> = { readonly request: Request } & (
  | {
      readonly value: Value;
      /** The parts that do not fit and are left out of `value`; paths begin at the page that held the entry. */
      readonly problems: readonly ContractProblem[];
      /** The entry of the answer as received. */
      readonly raw: unknown;
      readonly missing?: never;
      readonly uncovered?: never;
      readonly error?: never;
    }
  | {
      readonly missing: true;
      /** True when a local data set answers, which does not cover the request: the miss says nothing about the registry. */
      readonly uncovered?: boolean;
      readonly raw: unknown;
      readonly value?: never;
      readonly error?: never;
    }
  | {
      readonly error: InsightsError;
      readonly value?: never;
      readonly missing?: never;
      readonly uncovered?: never;
    }
);

/** A batch operation. */
export interface BatchOperation<Request, Sent, Entry, Value> {
  /** The request in the form that is sent. Throws `InsightsError` when it breaks a rule. */
  prepare(request: Request): Sent;
  ask(
    body: { readonly requests: readonly Sent[]; readonly pageToken?: string },
    options: BatchAskOptions<Page<Entry>>,
  ): Promise<Answered<Page<Entry>>>;
  /** The name of the member of an entry that holds its value. */
  readonly member: string;
  valueOf(entry: Entry): Value | undefined;
  /** The request in words. */
  nameOf(request: Request): string;
  /** The subject of a value, when it is something else than was asked for; `undefined` otherwise. */
  strayOf(request: Request, value: Value): unknown;
  /** Whether a miss repeats the request in any spelling, or repeats none that can be read. */
  repeats(request: Request, echo: Readonly<Record<string, unknown>>): boolean;
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
      const settleFrom = (
        start: number,
        count: number,
        read: (request: Request, offset: number) => BatchEntry<Request, Value>,
      ): void => {
        const own = indexes.slice(start, start + count);
        settled(own.map((index, offset) => [index, read(requests[index] as Request, offset)]));
      };
      const batch = {
        requests: sent,
        send: async (
          part: readonly Sent[],
          pageToken: string | undefined,
          check: (page: BatchPage<unknown>) => void,
        ) => {
          const body = pageToken === undefined ? { requests: part } : { requests: part, pageToken };
          const requireShape = (answer: Answer<Page<Entry>>) => check(readPage(answer));
          return readPage(answerOf(await operation.ask(body, { signal, fields, requireShape })));
        },
        answered: (start: number, page: EntryPage<Entry>) =>
          settleFrom(start, page.responses.length, (request, offset) =>
            readEntry(operation, request, page, offset),
          ),
        failed: (start: number, end: number, error: InsightsError) =>
          settleFrom(start, end - start, (request) => ({ request, error })),
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

/** A page with each contract problem assigned to the entry that it is about. */
interface EntryPage<Entry> extends BatchPage<Entry> {
  /** The entries as received. */
  readonly rawEntries: readonly unknown[] | undefined;
  /** The parts that do not fit and are left out of an entry, by its index. */
  readonly entryProblems: ReadonlyMap<number | undefined, readonly ContractProblem[]>;
  readonly isUncovered: (index: number) => boolean;
}

const NO_PROBLEMS: readonly ContractProblem[] = [];

function readPage<Entry>({ value, problems, raw }: Answer<Page<Entry>>): EntryPage<Entry> {
  const { responses = [], nextPageToken = '' } = value;
  const entryProblems = Map.groupBy(problems, ({ path }) => entryIndex(path));
  const rawEntries = (raw as { readonly responses?: readonly unknown[] }).responses;
  return {
    responses,
    nextPageToken,
    problems: entryProblems.get(undefined) ?? NO_PROBLEMS,
    rawEntries,
    entryProblems,
    isUncovered: uncoveredOf(raw),
  };
}

/** Which entries of a page are uncovered when they are missing: those listed, and all of them when the list cannot be read. */
function uncoveredOf(raw: unknown): (index: number) => boolean {
  const listed = (raw as { readonly [UNCOVERED]?: unknown })[UNCOVERED];
  if (listed === undefined) return () => false;
  const indexes = Array.isArray(listed) ? new Set<unknown>(listed) : undefined;
  return (index) => indexes?.has(index) ?? true;
}

function entryIndex(path: string): number | undefined {
  const index = /^\$\.responses\[(\d+)\]/.exec(path)?.[1];
  return index === undefined ? undefined : Number(index);
}

function readEntry<Request, Entry, Value>(
  operation: Pick<
    BatchOperation<Request, unknown, Entry, Value>,
    'nameOf' | 'valueOf' | 'strayOf' | 'repeats'
  >,
  request: Request,
  { responses, rawEntries, entryProblems, isUncovered }: EntryPage<Entry>,
  index: number,
): BatchEntry<Request, Value> {
  const value = operation.valueOf(responses[index] as Entry);
  const raw = rawEntries?.[index];
  const problems = entryProblems.get(index) ?? NO_PROBLEMS;
  if (value !== undefined) {
    const stray = operation.strayOf(request, value);
    if (stray === undefined) return { request, value, problems, raw };
    return { request, error: otherSubject(operation.nameOf(request), stray) };
  }
  const [problem] = problems;
  if (problem === undefined) {
    // A miss repeats its request (field notes, "Order").
    const echo = isObject(raw) ? raw['request'] : undefined;
    if (!isObject(echo)) {
      const message =
        'an answer with neither its request nor a value is no answer of the package-insights API';
      return { request, error: new InsightsError('contract', message) };
    }
    if (!operation.repeats(request, echo))
      return { request, error: otherSubject(operation.nameOf(request), echo) };
    return { request, missing: true, ...(isUncovered(index) ? { uncovered: true } : {}), raw };
  }
  // The service sent a value, and it cannot be used: that does not mean that the index lacks it.
  return { request, error: new InsightsError('contract', formatProblem(problem)) };
}
