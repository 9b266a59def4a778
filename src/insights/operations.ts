import type * as api from '../model/api/insights-api.generated.ts';
import type { VersionKey } from '../model/lockfile/ecosystem.ts';
import { isMissedByPurl } from '../model/lockfile/ecosystem.ts';
import type { Answered } from './answered.ts';
import { InsightsError } from './errors.ts';
import {
  type FindingsSubject,
  findingsRequest,
  type PackageName,
  packageParams,
  projectParams,
  type QueryCriteria,
  queryParams,
  requireBatchSize,
  validateAdvisory,
  validateChainId,
  validateProject,
  validateVersion,
  versionParams,
} from './request/params.ts';
import { type PurlTarget, readPurl, readVersionPurl } from './request/purl.ts';
import type { AskOptions, InsightsService as Service } from './service.ts';

/*
 * The operations by their names in the specification ("Endpoints"); the types are generated from the description
 * document. Each checks its rules before it sends the request, spells names as the index does, and returns errors as
 * data. Only an aborted call rejects.
 */

/** A package with its versions; the default version is marked when it is known. */
export function getPackage(service: Service, name: PackageName, options: AskOptions) {
  return service.ask('insights.getPackage', () => packageParams(service, name), options);
}

/** A version with its licences and the advisories that affect it directly. */
export function getVersion(service: Service, key: VersionKey, options: AskOptions) {
  return service.ask('insights.getVersion', () => versionParams(service, key), options);
}

/** One request of at most 5,000 versions, one page of its answer. See `Batches.versions`. */
export function getVersionBatch(service: Service, body: api.VersionBatchRequest, options: AskOptions) {
  const prepare = batchOf(body, ({ versionKey }) => ({
    versionKey: sendable(service, validateVersion(versionKey as VersionKey)),
  }));
  return service.ask('insights.getVersionBatch', prepare, options);
}

/** The requirements that a version declares, unresolved. `unsupported`: a service without those of Cargo, Go and PyPI. */
export function getRequirements(service: Service, key: VersionKey, options: AskOptions) {
  return service.ask('insights.getRequirements', () => versionParams(service, key), options);
}

/** The resolved graph: npm, Cargo, Maven, PyPI. `not-found` means that it was not computed, not that it is empty. */
export function getDependencies(service: Service, key: VersionKey, options: AskOptions) {
  return service.ask('insights.getDependencies', () => versionParams(service, key, 'dependencies'), options);
}

/** The number of packages that depend on a version: npm, Cargo, Maven, PyPI. */
export function getDependents(service: Service, key: VersionKey, options: AskOptions) {
  return service.ask('insights.getDependents', () => versionParams(service, key, 'dependents'), options);
}

/** Gets the capabilities of a Go version on the system it runs on. */
export function getCapabilities(service: Service, key: VersionKey, options: AskOptions) {
  return service.ask('insights.getCapabilities', () => versionParams(service, key, 'capabilities'), options);
}

/** `id` is `<host>/<owner>/<repository>`. */
export function getProject(service: Service, id: string, options: AskOptions) {
  return service.ask('insights.getProject', () => projectParams(id), options);
}

/** One request of at most 5,000 projects, one page of its answer. See `Batches.projects`. */
export function getProjectBatch(service: Service, body: api.ProjectBatchRequest, options: AskOptions) {
  const prepare = batchOf(body, ({ projectKey }) => ({
    projectKey: { id: validateProject(projectKey.id ?? '') },
  }));
  return service.ask('insights.getProjectBatch', prepare, options);
}

/** At most 1,500 versions built from a project, those known from attestations first. */
export function getProjectPackageVersions(service: Service, id: string, options: AskOptions) {
  return service.ask('insights.getProjectPackageVersions', () => projectParams(id), options);
}

/** `id` is the OSV identifier. */
export function getAdvisory(service: Service, id: string, options: AskOptions) {
  const prepare = () => ({ params: { 'advisoryKey.id': validateAdvisory(id) } });
  return service.ask('insights.getAdvisory', prepare, options);
}

/** Packages with similar names. The relation is not symmetric. */
export function getSimilarlyNamedPackages(service: Service, name: PackageName, options: AskOptions) {
  return service.ask('insights.getSimilarlyNamedPackages', () => packageParams(service, name), options);
}

/** At most 1,000 versions. `not-found` for a hash means unknown, not that an artifact was changed. */
export function query(service: Service, criteria: QueryCriteria, options: AskOptions) {
  return service.ask('insights.query', () => ({ params: queryParams(service, criteria) }), options);
}

/**
 * A package or, for a purl with a version, a version. A Go module with capitals, which purls cannot spell, is looked up by
 * name when its purl is not found.
 */
export async function purlLookup(
  service: Service,
  purl: string,
  options: AskOptions,
): Promise<Answered<api.PurlLookupResult>> {
  const prepare = () => ({ params: { purl: sendable(service, readPurl(purl)).purl } });
  const answered = await service.ask('insights.purlLookup', prepare, options);
  if (answered.error?.code !== 'not-found') return answered;
  const target = readPurl(purl);
  return isMissedByPurl(target) ? lookUpByName(service, target, options) : answered;
}

/** One request of at most 5,000 purls, one page of its answer. See `Batches.purls`. */
export function purlLookupBatch(service: Service, body: api.PurlLookupBatchRequest, options: AskOptions) {
  const prepare = batchOf(body, ({ purl }) => ({ purl: sendable(service, readVersionPurl(purl)).purl }));
  return service.ask('insights.purlLookupBatch', prepare, options);
}

/** Gets the findings of the service about a package, or a version. `unsupported`: a service without findings. */
export function getFindings(service: Service, subject: FindingsSubject, options: AskOptions) {
  const { version } = subject;
  return version === undefined
    ? service.ask('insights.getFindings', () => packageParams(service, subject), options)
    : getVersionFindings(service, { ...subject, version }, options);
}

/** Gets findings by the method of a version: a version is required. */
export function getVersionFindings(service: Service, key: VersionKey, options: AskOptions) {
  return service.ask('insights.getVersionFindings', () => versionParams(service, key), options);
}

/** One request of at most 5,000 packages and versions, one page of its answer. See `Batches.findings`. */
export function getFindingsBatch(service: Service, body: api.FindingsBatchRequest, options: AskOptions) {
  const prepare = batchOf(body, ({ versionKey, packageKey }) =>
    findingsRequest(service, (versionKey ?? packageKey ?? {}) as FindingsSubject),
  );
  return service.ask('insights.getFindingsBatch', prepare, options);
}

/** At most 1,000 repositories of images that contain exactly this chain of layers. */
export function queryContainerImages(service: Service, chainId: string, options: AskOptions) {
  const prepare = () => ({ params: { chainId: validateChainId(chainId) } });
  return service.ask('insights.queryContainerImages', prepare, options);
}

function sendable<Named extends PackageName>(service: Service, named: Named): Named {
  service.allowed(named.name);
  return named;
}

async function lookUpByName(
  service: Service,
  { system, name, version }: PurlTarget,
  { signal }: AskOptions,
): Promise<Answered<api.PurlLookupResult>> {
  const member = version === undefined ? 'package' : 'version';
  const answered =
    version === undefined
      ? await getPackage(service, { system, name }, { signal })
      : await getVersion(service, { system, name, version }, { signal });
  if (answered.error !== undefined) return answered;
  const { value, problems, raw, body } = answered;
  return {
    value: { [member]: value },
    problems: problems.map(({ path, message }) => ({ path: path.replace('$', `$.${member}`), message })),
    raw: { [member]: raw },
    body: Buffer.concat([Buffer.from(`{"${member}":`), body, Buffer.from('}')]),
  };
}

/** Returns a function that returns the body of a batch whose entries `rule` checked. It throws for the first one that breaks a rule. */
function batchOf<Body extends { readonly requests: readonly unknown[] }>(
  body: Body,
  rule: (entry: Body['requests'][number]) => Body['requests'][number],
): () => { readonly body: Body } {
  return () => {
    requireBatchSize(body.requests.length);
    const requests = body.requests.map((entry, index) => {
      try {
        return rule(entry);
      } catch (error) {
        if (!(error instanceof InsightsError) || error.rule === undefined) throw error;
        throw new InsightsError('invalid', `requests[${index}]: ${error.message}`, { rule: error.rule });
      }
    });
    return { body: { ...body, requests } };
  };
}
