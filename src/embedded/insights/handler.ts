import { UNCOVERED } from '../../model/api/extensions.ts';
import { isObject } from '../../model/json-object.ts';
import { SYSTEMS, type System, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import { cutPage, digest, readBatch } from './batch.ts';
import type { FindingsSubject } from './findings.ts';
import type { InsightsModel } from './model.ts';
import { canonicalKey, parsePurl, purlOf } from './names.ts';
import { queryResults } from './query.ts';
import { requirementsObject } from './requirements.ts';

/** An answer: JSON text, or an error as plain text (field notes, "Errors are text/plain"). */
export type Reply =
  | { readonly json: string /** Number of batch entries answered. */; readonly entries?: number }
  | { readonly status: number; readonly text: string };

interface Question {
  /** Path and query parameters, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: unknown;
}

type Operation = (question: Question) => Reply;

const VERSION_NOT_FOUND = 'version not found';
const PACKAGE_NOT_FOUND = 'package not found';
const NO_RESULTS = 'no results match query';

/** The operations of the package-insights API by method id; `pageSize` is called for each batch. */
export function insightsOperations(
  model: InsightsModel,
  pageSize: () => number,
): Readonly<Record<string, Operation>> {
  const ofVersion =
    (find: (key: VersionKey) => string | undefined, otherwise: string): Operation =>
    ({ parameters }) =>
      orMissing(find(keyOf(parameters)), otherwise);
  const named =
    (parameter: string, find: (name: string) => string | undefined, otherwise: string): Operation =>
    ({ parameters }) =>
      orMissing(find(parameters.get(parameter) ?? ''), otherwise);
  return {
    'insights.getPackage': ({ parameters }) => getPackage(model, parameters),
    'insights.getVersion': ofVersion((key) => model.version(key), VERSION_NOT_FOUND),
    'insights.getVersionBatch': ({ body }) => getVersionBatch(model, body, pageSize()),
    'insights.getRequirements': ofVersion((key) => requirementsOf(model, key), VERSION_NOT_FOUND),
    'insights.getDependencies': ofVersion((key) => model.dependencies(key), 'dependencies not found'),
    'insights.getDependents': ofVersion((key) => model.dependents(key), 'dependents not found'),
    'insights.getCapabilities': ofVersion((key) => model.capabilities(key), 'capabilities not found'),
    'insights.getProject': named('projectKey.id', (id) => model.project(id), 'project not found'),
    'insights.getProjectBatch': ({ body }) => getProjectBatch(model, body, pageSize()),
    'insights.getProjectPackageVersions': ({ parameters }) => getProjectVersions(model, parameters),
    'insights.getAdvisory': named('advisoryKey.id', (id) => model.advisory(id), 'advisory not found'),
    'insights.getSimilarlyNamedPackages': ({ parameters }) => getSimilarlyNamed(model, parameters),
    'insights.query': ({ parameters }) =>
      orMissing(queryResults(model, parameters, keyOf(parameters)), NO_RESULTS),
    'insights.purlLookup': ({ parameters }) => purlLookup(model, parameters.get('purl') ?? ''),
    'insights.purlLookupBatch': ({ body }) => purlLookupBatch(model, body, pageSize()),
    'insights.getFindings': ({ parameters }) => findingsReply(model, packageOf(parameters)),
    'insights.getVersionFindings': ({ parameters }) => findingsReply(model, keyOf(parameters)),
    'insights.getFindingsBatch': ({ body }) => getFindingsBatch(model, body, pageSize()),
    'insights.queryContainerImages': named('chainId', (id) => model.images(id), NO_RESULTS),
  };
}

function getPackage(model: InsightsModel, parameters: ReadonlyMap<string, string>): Reply {
  const { system, name } = packageOf(parameters);
  return orMissing(model.package(system, name), PACKAGE_NOT_FOUND);
}

function findingsReply(model: InsightsModel, subject: FindingsSubject): Reply {
  return { json: model.findings(subject) };
}

function getFindingsBatch(model: InsightsModel, body: unknown, pageSize: number): Reply {
  return answerBatch(body, pageSize, (request) => {
    const subject = readVersionKey(request) ?? readPackageKey(request);
    if (subject === undefined) return 'invalid package or version key';
    const echo = 'version' in subject ? { versionKey: subject } : { packageKey: subject };
    return {
      echo: JSON.stringify(echo),
      answer: () => answerOf('findings', model.findings(subject), () => true),
    };
  });
}

function requirementsOf(model: InsightsModel, key: VersionKey): string | undefined {
  const indexed = model.indexedVersion(key);
  const requirements = indexed && requirementsObject(key.system, indexed);
  return requirements && JSON.stringify(requirements);
}

/** Entries of one version under several spellings all echo the first of them (field notes, "Order"). */
function getVersionBatch(model: InsightsModel, body: unknown, pageSize: number): Reply {
  const firstSpelling = new Map<string, string>();
  return answerBatch(body, pageSize, (request) => {
    const key = readVersionKey(request);
    if (key === undefined) return 'invalid version key';
    const id = JSON.stringify(canonicalKey(key));
    const echo = firstSpelling.get(id) ?? JSON.stringify({ versionKey: key });
    firstSpelling.set(id, echo);
    return { echo, answer: () => answerOf('version', model.version(key), () => model.covers(key)) };
  });
}

/** The echoed purl is normalised. */
function purlLookupBatch(model: InsightsModel, body: unknown, pageSize: number): Reply {
  return answerBatch(body, pageSize, (request) => {
    const purl = (request as { purl?: unknown } | null)?.purl;
    const target = typeof purl === 'string' ? parsePurl(purl) : undefined;
    if (target === undefined) return `invalid purl: ${String(purl)}`;
    const { system, name, version } = target;
    if (version === undefined) return `purl has no version: ${String(purl)}`;
    const key = { system, name, version };
    return {
      echo: JSON.stringify({ purl: purlOf(key) }),
      answer: () => {
        const found = model.version(key);
        return answerOf('result', found && `{"version":${found}}`, () => model.covers(key));
      },
    };
  });
}

function getProjectBatch(model: InsightsModel, body: unknown, pageSize: number): Reply {
  return answerBatch(body, pageSize, (request) => {
    const id = (request as { projectKey?: { id?: unknown } } | null)?.projectKey?.id;
    if (typeof id !== 'string') return 'invalid project key';
    const echo = JSON.stringify({ projectKey: { id } });
    return { echo, answer: () => answerOf('project', model.project(id), () => true) };
  });
}

interface EchoedEntry {
  /** The request as JSON, as the answer repeats it. */
  readonly echo: string;
  answer(): EntryAnswer;
}

interface EntryAnswer {
  /** The remaining members of the response as JSON text; empty when nothing was found. */
  readonly members: string;
  /** Whether nothing was found and the data does not cover the request. */
  readonly isUncovered: boolean;
}

/** Answers one page. An entry that cannot be read (`read` returns the reason) fails the batch (field notes, "Poison"). */
function answerBatch(
  body: unknown,
  pageSize: number,
  read: (request: unknown) => EchoedEntry | string,
): Reply {
  const batch = readBatch(body);
  if ('refused' in batch) return refusal(batch.refused);
  const entries: EchoedEntry[] = [];
  for (const request of batch.requests) {
    const entry = read(request);
    if (typeof entry === 'string') return refusal(entry);
    entries.push(entry);
  }
  const page = cutPage(entries, () => digest(entries.map(({ echo }) => echo)), batch.pageToken, pageSize);
  if ('refused' in page) return refusal(page.refused);
  const answers = page.entries.map(({ answer }) => answer());
  const responses = page.entries.map(({ echo }, index) => `{"request":${echo}${answers[index]?.members}}`);
  const uncovered = answers.flatMap(({ isUncovered }, index) => (isUncovered ? index : []));
  const coverage = uncovered.length === 0 ? '' : `,"${UNCOVERED}":[${uncovered}]`;
  return {
    json: `{"responses":[${responses}],"nextPageToken":${JSON.stringify(page.nextPageToken)}${coverage}}`,
    entries: page.entries.length,
  };
}

function answerOf(name: string, json: string | undefined, isCovered: () => boolean): EntryAnswer {
  return json === undefined
    ? { members: '', isUncovered: !isCovered() }
    : { members: `,"${name}":${json}`, isUncovered: false };
}

function purlLookup(model: InsightsModel, purl: string): Reply {
  const target = parsePurl(purl);
  if (target === undefined) return refusal(`invalid purl: ${purl}`);
  const { system, name, version } = target;
  if (version === undefined) {
    const found = model.package(system, name);
    return orMissing(found && `{"package":${found}}`, PACKAGE_NOT_FOUND);
  }
  const found = model.version({ system, name, version });
  return orMissing(found && `{"version":${found}}`, VERSION_NOT_FOUND);
}

function getProjectVersions(model: InsightsModel, parameters: ReadonlyMap<string, string>): Reply {
  const id = parameters.get('projectKey.id') ?? '';
  const found = model.versionsOfProject(id).slice(0, 1_500);
  if (found.length === 0 && model.project(id) === undefined) return missing('project not found');
  const versions = found.map(({ key, indexed, related: { relationType, relationProvenance } }) => ({
    versionKey: key,
    relationType,
    relationProvenance,
    slsaProvenances: indexed.slsaProvenances ?? [],
    attestations: indexed.attestations ?? [],
  }));
  return { json: JSON.stringify({ versions }) };
}

function getSimilarlyNamed(model: InsightsModel, parameters: ReadonlyMap<string, string>): Reply {
  const { system, name } = packageOf(parameters);
  const found = model.find(system, name);
  if (found === undefined) return missing(PACKAGE_NOT_FOUND);
  const packages = (found.similar ?? []).map((name) => ({ packageKey: { system, name } }));
  return { json: JSON.stringify({ packageKey: { system, name: found.name }, packages }) };
}

function readPackageKey(request: unknown): Pick<VersionKey, 'system' | 'name'> | undefined {
  const key = (request as { packageKey?: unknown } | null)?.packageKey;
  const read = readVersionKey({ versionKey: { ...(isObject(key) ? key : {}), version: '' } });
  return read && { system: read.system, name: read.name };
}

function readVersionKey(request: unknown): VersionKey | undefined {
  const key = (request as { versionKey?: Partial<Record<keyof VersionKey, unknown>> } | null)?.versionKey;
  const { name, version } = key ?? {};
  const system = SYSTEMS.find((one) => one === key?.system);
  if (system === undefined || typeof name !== 'string' || typeof version !== 'string') return undefined;
  return { system, name, version };
}

function packageOf(parameters: ReadonlyMap<string, string>): Pick<VersionKey, 'system' | 'name'> {
  return {
    // The route checked it against the document's enumeration.
    system: parameters.get('packageKey.system') as System,
    name: parameters.get('packageKey.name') ?? '',
  };
}

/** The version key in path or query parameters; missing parts are empty. */
function keyOf(parameters: ReadonlyMap<string, string>): VersionKey {
  return {
    // The route checked it against the document's enumeration.
    system: parameters.get('versionKey.system') as System,
    name: parameters.get('versionKey.name') ?? '',
    version: parameters.get('versionKey.version') ?? '',
  };
}

function orMissing(json: string | undefined, otherwise: string): Reply {
  return json === undefined ? missing(otherwise) : { json };
}

function missing(text: string): Reply {
  return { status: 404, text };
}

function refusal(text: string): Reply {
  return { status: 400, text };
}
