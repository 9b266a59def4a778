import pLimit, { type LimitFunction } from 'p-limit';
import type { VersionKey } from '../model/version-record.ts';
import type { Fields } from './answer-check.ts';
import { type Answered, answerOf, type ContractProblem, formatProblem } from './answered.ts';
import type {
  Project,
  ProjectResponse,
  PurlLookupResult,
  PurlResponse,
  Version,
  VersionResponse,
} from './api.generated.ts';
import { type BatchOutcome, type PageSize, runBatch } from './batch.ts';
import { InsightsError } from './errors.ts';
import { isMissedByPurl } from './look-up.ts';
import { inOrder, type WindowWork } from './ordered.ts';
import { type PageEntry, readPage } from './pages.ts';
import { readVersionPurl } from './purl.ts';
import { MAX_BATCH, ruledProject, ruledVersion } from './rules.ts';
import type { AskOptions, InsightsService } from './service.ts';

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

export interface BatchOptions {
  readonly signal: AbortSignal;
  /** Fields of a value that are read, and so checked; see `AskOptions`. */
  readonly fields?: Fields;
}

/** The three batches over one service: each learns the service's page size once. */
export interface Batches {
  /**
   * Looks up any number of versions; yields one entry for each, in order. An entry that breaks a rule, or that the service
   * refuses, is an `error` and costs the others nothing. Throws only when aborted.
   */
  versions(keys: Requests<VersionKey>, options: BatchOptions): Entries<VersionKey, Version>;
  /** The same for projects, by id. */
  projects(ids: Requests<string>, options: BatchOptions): Entries<string, Project>;
  /** The same for purls with versions; a Go module with capitals is asked for by its name when its purl is missed. */
  purls(purls: Requests<string>, options: BatchOptions): Entries<string, PurlLookupResult>;
}

type Requests<Request> = Iterable<Request> | AsyncIterable<Request>;
type Entries<Request, Value> = AsyncGenerator<BatchEntry<Request, Value>, void, void>;

/** One of the batch operations. */
interface Operation<Request, Sent, Entry, Value> {
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

type Settled<Request, Value> = (start: number, entries: readonly BatchEntry<Request, Value>[]) => void;

/** `concurrency`: requests under way at the same time, of all three together. */
export function createBatches(service: InsightsService, concurrency = 25): Batches {
  const limit = pLimit(concurrency);
  const versions = versionOperation(service, limit);
  const projects = projectOperation(service, limit);
  const purls = purlOperation(service, limit);
  return {
    versions: (keys, options) => inOrder(keys, MAX_BATCH, workOf(versions, options.fields), options.signal),
    projects: (ids, options) => inOrder(ids, MAX_BATCH, workOf(projects, options.fields), options.signal),
    purls(texts, { signal, fields }) {
      const byPurl = workOf(purls, fields);
      const byName = workOf(versions, innerFields(fields, 'version'));
      return inOrder(texts, MAX_BATCH, lookUpTwice(byPurl, byName), signal);
    },
  };
}

// The rules are held against each request when it is prepared; `operations.ts` would do so again for each page.

function versionOperation(
  service: InsightsService,
  limit: LimitFunction,
): Operation<VersionKey, { readonly versionKey: VersionKey }, VersionResponse, Version> {
  return {
    limit,
    pages: { learned: undefined },
    prepare: (key) => ({ versionKey: ruledVersion(key) }),
    ask: (requests, page, options) =>
      service.ask('insights.getVersionBatch', () => ({ body: { requests, ...page } }), options),
    at: 'version',
    valueOf: ({ version }) => version,
  };
}

function projectOperation(
  service: InsightsService,
  limit: LimitFunction,
): Operation<string, { readonly projectKey: { readonly id: string } }, ProjectResponse, Project> {
  return {
    limit,
    pages: { learned: undefined },
    prepare: (id) => ({ projectKey: { id: ruledProject(id) } }),
    ask: (requests, page, options) =>
      service.ask('insights.getProjectBatch', () => ({ body: { requests, ...page } }), options),
    at: 'project',
    valueOf: ({ project }) => project,
  };
}

function purlOperation(
  service: InsightsService,
  limit: LimitFunction,
): Operation<string, { readonly purl: string }, PurlResponse, PurlLookupResult> {
  return {
    limit,
    pages: { learned: undefined },
    prepare: (text) => ({ purl: readVersionPurl(text).purl }),
    ask: (requests, page, options) =>
      service.ask('insights.purlLookupBatch', () => ({ body: { requests, ...page } }), options),
    at: 'result',
    valueOf: ({ result }) => result,
  };
}

/** The work on one window of requests: what breaks a rule is settled without being sent. */
function workOf<Request, Sent, Entry, Value>(
  operation: Operation<Request, Sent, Entry, Value>,
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
  operation: Pick<Operation<Request, Sent, unknown, Value>, 'prepare'>,
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
  operation: Pick<Operation<Request, unknown, Entry, Value>, 'valueOf'>,
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

/** Purls of Go modules with capitals are missed; their names are not (field notes, "Names"). */
function lookUpTwice(
  byPurl: WindowWork<string, BatchEntry<string, PurlLookupResult>>,
  byName: WindowWork<VersionKey, BatchEntry<VersionKey, Version>>,
): WindowWork<string, BatchEntry<string, PurlLookupResult>> {
  return async (window, settled, signal) => {
    const missed: { readonly index: number; readonly request: string; readonly key: VersionKey }[] = [];
    const first: Settled<string, PurlLookupResult> = (start, entries) => {
      for (const [offset, entry] of entries.entries()) {
        const key = entry.missing === true ? readVersionPurl(entry.request) : undefined;
        if (key === undefined || !isMissedByPurl(key)) settled(start + offset, [entry]);
        else missed.push({ index: start + offset, request: entry.request, key });
      }
    };
    const second: Settled<VersionKey, Version> = (start, entries) => {
      for (const [offset, entry] of entries.entries()) {
        const place = missed[start + offset];
        if (place !== undefined) settled(place.index, [asPurlEntry(place.request, entry)]);
      }
    };
    await byPurl(window, first, signal);
    const keys = missed.map(({ key: { system, name, version } }) => ({ system, name, version }));
    await byName(keys, second, signal);
  };
}

function asPurlEntry(
  purl: string,
  entry: BatchEntry<VersionKey, Version>,
): BatchEntry<string, PurlLookupResult> {
  const request = { purl };
  if (entry.error !== undefined) return { request: purl, error: entry.error };
  if (entry.missing === true) return { request: purl, missing: true, raw: { request } };
  const { value, problems, raw } = entry;
  const result = { version: (raw as { readonly version?: unknown }).version };
  return { request: purl, value: { version: value }, problems, raw: { request, result } };
}

/** `version.licenses` → `licenses`. */
function innerFields(fields: Fields | undefined, member: string): Fields | undefined {
  if (fields === undefined || fields.includes(member)) return undefined;
  return fields
    .filter((field) => field.startsWith(`${member}.`))
    .map((field) => field.slice(member.length + 1));
}
