import type { RestDescription } from '../../discovery/description/description.ts';
import { UNCOVERED } from '../../model/api/extensions.ts';
import { isObject, type JsonObject } from '../../model/json-object.ts';
import { API_SYSTEMS, type ApiSystem, type System, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import { cutPage, Refused, readBatch } from './batch.ts';
import type { InsightsModel } from './model.ts';
import { canonicalKey, parsePurl, purlOf } from './names.ts';
import { requirementsObject } from './requirements.ts';
import { artifactsOf } from './version-object.ts';

interface Question {
  /** Path and query parameters, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** Returns what is answered as JSON. Throws `Refused`. */
type Operation = (question: Question) => object;

const VERSION = 'version not found';
const PACKAGE = 'package not found';

/** The operations of the package-insights API by method id; `pageSize` is called for each batch. */
export function insightsOperations(
  model: InsightsModel,
  schemas: RestDescription['schemas'] & {},
  pageSize: () => number,
): Readonly<Record<string, Operation>> {
  const ofVersion =
    (find: (key: VersionKey) => object | undefined, otherwise: string): Operation =>
    ({ parameters }) =>
      orMissing(find(keyOf(parameters)), otherwise);
  const named =
    (parameter: string, find: (name: string) => object | undefined, otherwise: string): Operation =>
    ({ parameters }) =>
      orMissing(find(parameters.get(parameter) ?? ''), otherwise);
  const batch =
    (reader: () => (request: JsonObject) => EchoedEntry): Operation =>
    ({ body }) =>
      answerBatch(body, pageSize(), reader());
  return {
    'insights.getPackage': ({ parameters }) => orMissing(model.package(packageOf(parameters)), PACKAGE),
    'insights.getVersion': ofVersion((key) => model.version(key), VERSION),
    'insights.getVersionBatch': batch(() => versionReader(model)),
    'insights.getRequirements': ofVersion((key) => {
      const indexed = model.indexedVersion(key);
      return indexed && requirementsObject(schemas, key.system as ApiSystem, indexed);
    }, VERSION),
    'insights.getDependencies': ofVersion((key) => model.dependencies(key), 'dependencies not found'),
    'insights.getDependents': ofVersion((key) => model.dependents(key), 'dependents not found'),
    'insights.getCapabilities': ofVersion((key) => model.capabilities(key), 'capabilities not found'),
    'insights.getProject': named('projectKey.id', (id) => model.project(id), 'project not found'),
    'insights.getProjectBatch': batch(() => (request) => projectEntry(model, request)),
    'insights.getProjectPackageVersions': named(
      'projectKey.id',
      (id) => model.projectVersions(id),
      'project not found',
    ),
    'insights.getAdvisory': named('advisoryKey.id', (id) => model.advisory(id), 'advisory not found'),
    'insights.getSimilarlyNamedPackages': ({ parameters }) =>
      orMissing(model.similar(packageOf(parameters)), PACKAGE),
    'insights.query': ({ parameters }) =>
      orMissing(queryResults(model, parameters, keyOf(parameters)), 'no results match query'),
    'insights.purlLookup': named('purl', (purl) => lookUpPurl(model, purl), VERSION),
    'insights.purlLookupBatch': batch(() => (request) => purlEntry(model, request)),
    'insights.getFindings': ({ parameters }) => model.findings(packageOf(parameters)),
    'insights.getVersionFindings': ({ parameters }) => model.findings(keyOf(parameters)),
    'insights.getFindingsBatch': batch(() => (request) => findingsEntry(model, request)),
    'insights.queryContainerImages': named('chainId', (id) => model.images(id), 'no results match query'),
  };
}

interface EchoedEntry {
  /** The request, as the answer repeats it. */
  readonly echo: object;
  /** The name of the member that holds what was found. */
  readonly member: string;
  /** Returns what was found. */
  find(): object | undefined;
  /** Whether the data covers the request. Default: it does. */
  isCovered?(): boolean;
}

/** Answers one page. An entry that cannot be read fails the batch (field notes, "Poison"). */
function answerBatch(body: unknown, pageSize: number, read: (request: JsonObject) => EchoedEntry): object {
  const { requests, pageToken } = readBatch(body);
  const entries = requests.map((request) => read(isObject(request) ? request : {}));
  const { page, nextPageToken } = cutPage(entries, ({ echo }) => JSON.stringify(echo), pageToken, pageSize);
  const found = page.map((entry) => entry.find());
  const uncovered = page.flatMap(({ isCovered }, index) =>
    found[index] === undefined && isCovered?.() === false ? index : [],
  );
  return {
    responses: page.map(({ echo, member }, index) => ({ request: echo, [member]: found[index] })),
    nextPageToken,
    ...(uncovered.length === 0 ? {} : { [UNCOVERED]: uncovered }),
  };
}

function findingsEntry(model: InsightsModel, { versionKey, packageKey }: JsonObject): EchoedEntry {
  const version = readVersionKey(versionKey);
  const found = version ?? readVersionKey({ ...(isObject(packageKey) ? packageKey : {}), version: '' });
  if (found === undefined) throw new Refused(400, 'invalid package or version key');
  const { system, name } = found;
  const subject = version ?? { system, name };
  const echo = version === undefined ? { packageKey: subject } : { versionKey: subject };
  return { echo, member: 'findings', find: () => model.findings(subject) };
}

/** Entries of one version under several spellings all echo the first of them (field notes, "Order"). */
function versionReader(model: InsightsModel): (request: JsonObject) => EchoedEntry {
  const firstSpelling = new Map<string, object>();
  return ({ versionKey }) => {
    const key = readVersionKey(versionKey);
    if (key === undefined) throw new Refused(400, 'invalid version key');
    const id = JSON.stringify(canonicalKey(key));
    const echo = firstSpelling.get(id) ?? { versionKey: key };
    firstSpelling.set(id, echo);
    return { echo, member: 'version', find: () => model.version(key), isCovered: () => model.covers(key) };
  };
}

/** The echoed purl is normalised. */
function purlEntry(model: InsightsModel, { purl }: JsonObject): EchoedEntry {
  const target = typeof purl === 'string' ? parsePurl(purl) : undefined;
  if (target === undefined) throw new Refused(400, `invalid purl: ${String(purl)}`);
  const { system, name, version } = target;
  if (version === undefined) throw new Refused(400, `purl has no version: ${String(purl)}`);
  const key = { system, name, version };
  return {
    echo: { purl: purlOf(key) },
    member: 'result',
    find: () => memberOf('version', model.version(key)),
    isCovered: () => model.covers(key),
  };
}

function projectEntry(model: InsightsModel, { projectKey }: JsonObject): EchoedEntry {
  const id = isObject(projectKey) ? projectKey['id'] : undefined;
  if (typeof id !== 'string') throw new Refused(400, 'invalid project key');
  return { echo: { projectKey: { id } }, member: 'project', find: () => model.project(id) };
}

function lookUpPurl(model: InsightsModel, purl: string): object | undefined {
  const target = parsePurl(purl);
  if (target === undefined) throw new Refused(400, `invalid purl: ${purl}`);
  const { version, ...key } = target;
  if (version !== undefined) return memberOf('version', model.version({ ...key, version }));
  return orMissing(memberOf('package', model.package(key)), PACKAGE);
}

function memberOf(name: string, value: object | undefined): object | undefined {
  return value && { [name]: value };
}

function readVersionKey(key: unknown): VersionKey | undefined {
  const { system: given, name, version } = isObject(key) ? key : {};
  const system = API_SYSTEMS.find((one) => one === given);
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

function orMissing(value: object | undefined, otherwise: string): object {
  if (value === undefined) throw new Refused(404, otherwise);
  return value;
}

const LIMIT = 1_000;

/**
 * The answer of Query, `undefined` without results. Searches by hash, by name or by both; with both, every given
 * part of the name must match as well. Parts of `asked` that were not given are empty.
 */
function queryResults(
  model: InsightsModel,
  parameters: ReadonlyMap<string, string>,
  asked: VersionKey,
): object | undefined {
  const hash = parameters.get('hash.value');
  const hasSystem = parameters.has('versionKey.system');
  const known =
    hash === undefined
      ? model.versionsOf(asked)
      : model.versionsByHash(parameters.get('hash.type') ?? '', hash);
  const keys = known.filter((key) => matches(key, asked, hasSystem)).slice(0, LIMIT);
  if (keys.length === 0) return undefined;
  const results = keys.map((key) => ({
    version: model.version(key),
    artifacts: hash === undefined ? [] : artifactsOf(key, model.indexedVersion(key)),
  }));
  return { results };
}

function matches(key: VersionKey, { system, name, version }: VersionKey, hasSystem: boolean): boolean {
  if (hasSystem && key.system !== system) return false;
  const wanted = canonicalKey({ system: key.system, name, version });
  return (name === '' || key.name === wanted.name) && (version === '' || key.version === wanted.version);
}
