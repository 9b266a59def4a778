import pLimit from 'p-limit';
import type { Project, PurlLookupResult, Version } from '../../model/api/insights-api.generated.ts';
import type { VersionKey } from '../../model/scan/version-key.ts';
import type { Fields } from '../answer-check.ts';
import { readVersionPurl } from '../request/purl.ts';
import { MAX_BATCH } from '../request/rules.ts';
import { isMissedByPurl } from '../resolve/look-up.ts';
import type { InsightsService } from '../service.ts';
import { type BatchEntry, type Settled, workOf } from './operation.ts';
import { projectOperation, purlOperation, versionOperation } from './operations.ts';
import { inOrder, type WindowWork } from './ordered.ts';

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
