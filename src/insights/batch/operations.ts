import pLimit from 'p-limit';
import type {
  Findings,
  FindingsRequest,
  FindingsResponse,
  Project,
  ProjectKey,
  ProjectResponse,
  PurlLookupResult,
  PurlResponse,
  Version,
  VersionResponse,
} from '../../model/api/insights-api.generated.ts';
import { isObject } from '../../model/json-object.ts';
import { formatVersionKey, isMissedByPurl, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { Fields } from '../answer-check.ts';
import { InsightsError } from '../errors.ts';
import { isAboutPackage, isAboutVersion } from '../records/subject.ts';
import type { FindingsSubject } from '../request/params.ts';
import {
  type ApiVersionKey,
  findingsRequest,
  MAX_BATCH,
  validateProject,
  validateVersion,
} from '../request/params.ts';
import { readVersionPurl } from '../request/purl.ts';
import type { AskOptions, InsightsService } from '../service.ts';
import { type BatchEntry, type BatchOperation, type BatchWork, createBatchWork } from './operation.ts';
import { inOrder } from './ordered.ts';

// Each request is checked once, when it is prepared; `insights/operations.ts` would check it again for each page.

export function versionOperation(
  service: InsightsService,
): BatchOperation<VersionKey, { readonly versionKey: ApiVersionKey }, VersionResponse, Version> {
  return {
    prepare(key) {
      const versionKey = validateVersion(key);
      service.allowed(versionKey.name);
      return { versionKey };
    },
    ask: (body, options) => service.ask('insights.getVersionBatch', () => ({ body }), options),
    member: 'version',
    valueOf: ({ version }) => version,
    nameOf: formatVersionKey,
    strayOf: (key, { versionKey }) => (isAboutVersion(key, versionKey) ? undefined : (versionKey ?? null)),
    repeats: (key, { versionKey }) => !namesVersion(versionKey) || isAboutVersion(key, versionKey),
  };
}

export function projectOperation(
  service: InsightsService,
): BatchOperation<string, { readonly projectKey: { readonly id: string } }, ProjectResponse, Project> {
  return {
    prepare: (id) => ({ projectKey: { id: validateProject(id) } }),
    ask: (body, options) => service.ask('insights.getProjectBatch', () => ({ body }), options),
    member: 'project',
    valueOf: ({ project }) => project,
    nameOf: (id) => id,
    strayOf: (id, { projectKey }) => (isProject(id, projectKey) ? undefined : (projectKey ?? null)),
    repeats: (id, { projectKey }) =>
      !isObject(projectKey) || typeof projectKey['id'] !== 'string' || isProject(id, projectKey),
  };
}

export function findingsOperation(
  service: InsightsService,
): BatchOperation<FindingsSubject, FindingsRequest, FindingsResponse, Findings> {
  return {
    prepare: (subject) => findingsRequest(service, subject),
    ask: (body, options) => service.ask('insights.getFindingsBatch', () => ({ body }), options),
    member: 'findings',
    valueOf: ({ findings }) => findings,
    nameOf: subjectText,
    strayOf: (subject, value) =>
      isAboutSubject(subject, value) ? undefined : (value.versionKey ?? value.packageKey ?? null),
    repeats: (subject, echo) =>
      !(namesVersion(echo['versionKey']) || namesVersion(echo['packageKey'])) ||
      isAboutSubject(subject, echo),
  };
}

function subjectText({ system, name, version }: FindingsSubject): string {
  return version === undefined ? `${system}:${name}` : formatVersionKey({ system, name, version });
}

function isAboutSubject(
  { version, ...name }: FindingsSubject,
  { versionKey, packageKey }: FindingsRequest,
): boolean {
  return version === undefined
    ? isAboutPackage(name, packageKey ?? versionKey)
    : isAboutVersion({ ...name, version }, versionKey);
}

/** Whether an echo can be compared: without a name it says nothing about the order of answers. */
function namesVersion(versionKey: unknown): versionKey is VersionKey {
  return isObject(versionKey) && typeof versionKey['name'] === 'string';
}

function isProject(asked: string, { id = '' }: ProjectKey = {}): boolean {
  return id.toLowerCase() === asked.toLowerCase();
}

/** `purlOf` returns the canonical purl of a request, or throws `InsightsError`. `keyOf` returns its version. */
export function purlOperation<Request>(
  service: InsightsService,
  purlOf: (request: Request) => string,
  keyOf: (request: Request) => VersionKey,
): BatchOperation<Request, { readonly purl: string }, PurlResponse, PurlLookupResult> {
  return {
    prepare: (request) => ({ purl: purlOf(request) }),
    ask: (body, options) => service.ask('insights.purlLookupBatch', () => ({ body }), options),
    member: 'result',
    valueOf: ({ result }) => result,
    nameOf: (request) => formatVersionKey(keyOf(request)),
    // A result without a version is about a package, which its reader refuses.
    strayOf: (request, { version }) =>
      version === undefined || isAboutVersion(keyOf(request), version.versionKey)
        ? undefined
        : (version.versionKey ?? null),
    repeats: (request, { purl }) =>
      typeof purl !== 'string' || purl === purlOf(request) || isPurlOf(keyOf(request), purl),
  };
}

function isPurlOf(key: VersionKey, purl: string): boolean {
  try {
    return isAboutVersion(key, readVersionPurl(purl));
  } catch (error) {
    if (error instanceof InsightsError) return false;
    throw error;
  }
}

/** Repeats by name the requests for names with capitals, which the index may lack by purl (field notes, "Names"). */
export function withNameFallback<Request>(
  byPurl: BatchWork<Request, PurlLookupResult>,
  byName: BatchWork<VersionKey, Version>,
  keyOf: (request: Request) => VersionKey,
): BatchWork<Request, PurlLookupResult> {
  return async (requests, settled, signal) => {
    const missed: (Missed<Request> & { readonly index: number; readonly key: VersionKey })[] = [];
    const isFinal = (index: number, entry: BatchEntry<Request, PurlLookupResult>): boolean => {
      if (entry.missing !== true) return true;
      const { system, name, version } = keyOf(entry.request);
      if (!isMissedByPurl({ system, name })) return true;
      missed.push({ ...entry, index, key: { system, name, version } });
      return false;
    };
    await byPurl(
      requests,
      (entries) => settled(entries.filter(([index, entry]) => isFinal(index, entry))),
      signal,
    );
    await byName(
      missed.map(({ key }) => key),
      (entries) =>
        settled(
          entries.flatMap(([at, entry]) => {
            const first = missed[at];
            return first === undefined ? [] : [[first.index, asPurlEntry(first, entry)] as const];
          }),
        ),
      signal,
    );
  };
}

interface Missed<Request> {
  readonly request: Request;
  /** The answer to the request by purl: the echoed request alone. */
  readonly raw: unknown;
}

function asPurlEntry<Request>(
  { request, raw: echo }: Missed<Request>,
  entry: BatchEntry<VersionKey, Version>,
): BatchEntry<Request, PurlLookupResult> {
  if (entry.error !== undefined) return { request, error: entry.error };
  if (entry.missing === true) return { ...entry, request, raw: echo };
  const { value, problems, raw } = entry;
  const result = { version: (raw as { readonly version?: unknown }).version };
  return { request, value: { version: value }, problems, raw: { ...(echo as object), result } };
}

/** The fields of a version among those of a purl's result: `version.licenses` → `licenses`. */
function versionFields(fields: Fields | undefined): Fields | undefined {
  if (fields === undefined || fields.includes('version')) return undefined;
  return fields
    .filter((field) => field.startsWith('version.'))
    .map((field) => field.slice('version.'.length));
}

export type Batches = ReturnType<typeof createBatches>;

type Requests<Request> = Iterable<Request> | AsyncIterable<Request>;

/**
 * The batch operations of one service; each learns the service's page size once. `concurrency`: the number of concurrent requests, of all operations together.
 */
export function createBatches(service: InsightsService, concurrency = 25) {
  const limit = pLimit(concurrency);
  const versions = createBatchWork(versionOperation(service), limit);
  const projects = createBatchWork(projectOperation(service), limit);
  const findings = createBatchWork(findingsOperation(service), limit);
  const purls = createBatchWork(
    purlOperation(
      service,
      (text: string) => {
        const { name, purl } = readVersionPurl(text);
        service.allowed(name);
        return purl;
      },
      readVersionPurl,
    ),
    limit,
  );
  return {
    /**
     * Looks up any number of versions; yields one entry for each, in order. A request that breaks a rule or is refused by
     * the service yields an `error` and does not affect the others. Throws only when aborted.
     */
    versions: (keys: Requests<VersionKey>, { fields, signal }: AskOptions) =>
      inOrder(keys, MAX_BATCH, versions(fields), signal),
    /** Looks up projects by id, in the same way. */
    projects: (ids: Requests<string>, { fields, signal }: AskOptions) =>
      inOrder(ids, MAX_BATCH, projects(fields), signal),
    /** Looks up what the service says of packages and versions, in the same way. */
    findings: (subjects: Requests<FindingsSubject>, { fields, signal }: AskOptions) =>
      inOrder(subjects, MAX_BATCH, findings(fields), signal),
    /** Looks up purls with versions, in the same way. A Go module with capitals is looked up by name when its purl is missing. */
    purls(texts: Requests<string>, { fields, signal }: AskOptions) {
      const work = withNameFallback(purls(fields), versions(versionFields(fields)), readVersionPurl);
      return inOrder(texts, MAX_BATCH, work, signal);
    },
  };
}
