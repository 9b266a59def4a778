import type { LimitFunction } from 'p-limit';
import { UNCOVERED } from '../../model/api/extensions.ts';
import type * as api from '../../model/api/insights-api.generated.ts';
import type { Findings } from '../../model/api/insights-api.generated.ts';
import { defined } from '../../model/defined.ts';
import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { Releases } from '../../model/ports/insights.ts';
import type { Scorecard } from '../../model/signal/inspection.ts';
import type {
  Provenance,
  Release,
  ReleaseDetail,
  Requirement,
  ServiceFinding,
} from '../../model/signal/release-facts.ts';
import type { Fields } from '../answer-check.ts';
import { type Answered, answerOf } from '../answered.ts';
import { type BatchEntry, type BatchWork, createBatchWork } from '../batch/operation.ts';
import { findingsOperation, projectOperation, versionOperation } from '../batch/operations.ts';
import { InsightsError } from '../errors.ts';
import { hasNewerRequirements } from '../offered.ts';
import {
  getCapabilities,
  getDependencies,
  getDependents,
  getPackage,
  getProjectPackageVersions,
  getRequirements,
  getSimilarlyNamedPackages,
  query,
} from '../operations.ts';
import { packageFor } from '../records/dependencies.ts';
import { requireGraph, requirePackage } from '../records/subject.ts';
import { hasFacts, readHash } from '../request/params.ts';
import type { InsightsService } from '../service.ts';

/** Looks releases up with the connections and limits of the other look-ups. */
export function createReleases(service: InsightsService, limit: LimitFunction): Releases {
  const batch = createBatchWork(versionOperation(service), limit)(DETAIL_FIELDS);
  const said = createBatchWork(findingsOperation(service), limit)(FINDINGS_FIELDS);
  const projects = createBatchWork(projectOperation(service), limit)(SCORECARD_FIELDS);
  const ask = <Value>(call: () => Promise<Answered<Value>>): Promise<Value | undefined> =>
    limit(async () => foundIn(await call()));
  const graph: Releases['graph'] = async (key, signal) => {
    if (!hasFacts('dependencies', key.system)) return undefined;
    const found = await ask(() => getDependencies(service, key, { signal }));
    if (found !== undefined) requireGraph(key, found);
    return found && readDirectNodes(found);
  };
  return {
    graph,
    async list(name, signal) {
      const found = await ask(() => getPackage(service, name, { signal, fields: RELEASE_FIELDS }));
      if (found !== undefined) requirePackage(name, found.packageKey);
      return found && readReleases(found);
    },
    details: (keys, signal) => eachOf(batch, keys, signal, ({ value }) => value && readDetail(value)),
    async findings(keys, signal) {
      const found = await eachOf(said, keys, signal, statedIn);
      return found.map((one) =>
        one !== undefined && 'error' in one && one.error.code === 'unsupported' ? undefined : one,
      );
    },
    async requirements(key, signal) {
      // What was inspected before was compared with graphs: another source would look like a change.
      if (!hasNewerRequirements(key.system)) {
        const stated = await ask(() => getRequirements(service, key, { signal }));
        return stated && readRequirements(stated);
      }
      return await graph(key, signal);
    },
    scorecards: (ids, signal) => eachOf(projects, ids, signal, ({ value }) => value && readScorecard(value)),
    async versionsOfProject(id, signal) {
      const found = await ask(() => getProjectPackageVersions(service, id, { signal }));
      return found?.versions?.flatMap(({ versionKey, relationType }) =>
        relationType === 'SOURCE_REPO' ? ((versionKey as VersionKey | undefined) ?? []) : [],
      );
    },
    async versionsWith(digest, system, signal) {
      if (!hasFacts('hashes', system)) return undefined;
      const found = await ask(() => query(service, { hash: readHash(digest), system }, { signal }));
      return found?.results?.flatMap(({ version }) => (version?.versionKey as VersionKey | undefined) ?? []);
    },
    async capabilities(key, signal) {
      if (!hasFacts('capabilities', key.system)) return undefined;
      const found = await ask(() => getCapabilities(service, key, { signal }));
      return found?.capabilities?.map(({ capability = '', directCount = 0, indirectCount = 0 }) => ({
        name: capability,
        direct: directCount,
        indirect: indirectCount,
      }));
    },
    async similar(name, signal) {
      const found = await ask(() => getSimilarlyNamedPackages(service, name, { signal }));
      return found?.packages?.flatMap(({ packageKey }) => packageKey?.name ?? []);
    },
    async dependents(key, signal) {
      if (!hasFacts('dependents', key.system)) return undefined;
      return (await ask(() => getDependents(service, key, { signal })))?.dependentCount;
    },
  };
}

/** Runs a batch; one for each request, in order. */
async function eachOf<Request, Value, Read extends object>(
  work: BatchWork<Request, Value>,
  requests: readonly Request[],
  signal: AbortSignal,
  read: (entry: BatchEntry<Request, Value>) => Read | undefined,
): Promise<readonly (Read | { readonly error: InsightsError } | undefined)[]> {
  const found: (Read | { readonly error: InsightsError } | undefined)[] = requests.map(() => undefined);
  await work(
    requests,
    (entries) => {
      for (const [index, entry] of entries)
        found[index] = entry.error === undefined ? read(entry) : { error: entry.error };
    },
    signal,
  );
  return found;
}

/** A local data set that does not have the version says nothing of it. */
function statedIn(entry: BatchEntry<unknown, Findings>): readonly ServiceFinding[] | undefined {
  const { value, error } = entry;
  if (value === undefined || error !== undefined) return undefined;
  return UNCOVERED in value ? undefined : readFindings(value);
}

/** That the index does not have it is an answer. */
function foundIn<Value>(answered: Answered<Value>): Value | undefined {
  const { error } = answered;
  if (error instanceof InsightsError && error.code === 'not-found') return undefined;
  return answerOf(answered).value;
}

/** The fields that are read. */
const RELEASE_FIELDS: Fields = ['packageKey', 'versions'];
const SCORECARD_FIELDS: Fields = ['projectKey', 'scorecard'];
const DETAIL_FIELDS: Fields = [
  'versionKey',
  'publishedAt',
  'advisoryKeys',
  'slsaProvenances',
  'attestations',
  'relatedProjects',
  'cooldown',
];

/** The versions of a Package object. One without a version is left out. */
function readReleases({ versions = [] }: api.Package): readonly Release[] {
  return versions.flatMap(({ versionKey, publishedAt, isDefault = false, isDeprecated = false }) => {
    const version = versionKey?.version ?? '';
    const time = Date.parse(publishedAt ?? '');
    if (version === '') return [];
    return { version, isDefault, isDeprecated, ...(Number.isNaN(time) ? {} : { publishedAt: time }) };
  });
}

/** The part of a Version object that signals read. */
function readDetail(version: api.Version): ReleaseDetail {
  const { advisoryKeys = [], slsaProvenances = [], attestations = [], relatedProjects = [] } = version;
  const sources = relatedProjects.filter(({ relationType }) => relationType === 'SOURCE_REPO');
  const publishedAt = Date.parse(version.publishedAt ?? '');
  const cooldownEnd = Date.parse(version.cooldown?.end ?? '');
  return {
    ...(Number.isNaN(publishedAt) ? {} : { publishedAt }),
    provenances: [...slsaProvenances, ...attestations].map(
      ({ verified = false, sourceRepository = '' }): Provenance => ({ verified, sourceRepository }),
    ),
    projects: [...new Set(sources.flatMap(({ projectKey }) => projectKey?.id?.toLowerCase() ?? []))],
    advisoryIds: advisoryKeys.flatMap(({ id }) => id ?? []),
    ...(Number.isNaN(cooldownEnd) ? {} : { cooldownEnd }),
  };
}

/** Reads the requirements of a version for its installation; requirements of development and of the environment (`peer`) are not. */
export function readRequirements({ npm, maven, nuget, rubygems }: api.Requirements): readonly Requirement[] {
  const stated = [
    ...(npm?.dependencies?.dependencies ?? []),
    ...(npm?.dependencies?.optionalDependencies ?? []),
    ...(nuget?.dependencyGroups ?? []).flatMap(({ dependencies = [] }) => dependencies),
    ...(rubygems?.runtimeDependencies ?? []),
  ];
  const inMaven = (maven?.dependencies ?? []).flatMap(({ name, version = '', scope = '' }) =>
    scope === 'test' || scope === 'provided' ? [] : { name, requirement: version },
  );
  return [...stated, ...inMaven].flatMap(({ name = '', requirement = '' }) => {
    // `${…}`: a property of a POM, which is not resolved.
    if (name === '' || name.includes('${')) return [];
    return { name: packageFor(name, requirement), requirement };
  });
}

/** The direct nodes of a resolved graph, with what their edge from the root requires. */
function readDirectNodes({ nodes = [], edges = [] }: api.Dependencies): readonly Requirement[] {
  const required = new Map(
    edges.flatMap(({ fromNode, toNode, requirement = '' }) =>
      fromNode === 0 && toNode !== undefined ? [[toNode, requirement] as const] : [],
    ),
  );
  return nodes.flatMap(({ relation, versionKey, bundled = false }, index) => {
    const { name = '' } = versionKey ?? {};
    const isRequired = relation === 'DIRECT' && !bundled && name !== '';
    return isRequired ? { name, requirement: required.get(index) ?? '' } : [];
  });
}

/** The scorecard of a project; `undefined` for one without. Checks with a negative score did not run. */
function readScorecard({ scorecard }: api.Project): Scorecard | undefined {
  if (scorecard?.overallScore === undefined) return undefined;
  const checks = (scorecard.checks ?? []).flatMap(({ name = '', score = -1 }) =>
    name === '' || score < 0 ? [] : [[name, score] as const],
  );
  return { date: scorecard.date ?? '', overall: scorecard.overallScore, checks: Object.fromEntries(checks) };
}

/** The fields that are read. */
const FINDINGS_FIELDS: Fields = ['packageKey', 'versionKey', 'requestedVersion', 'packageFindings'];

/** More of them are not read. */
const MAX_FINDINGS = 20;
const MAX_ALTERNATIVES = 5;
const MAX_TEXT = 60;
/** The longest name of npm. */
const MAX_NAME = 214;

/** Reads the findings of the service about a version, one for each type. A finding without a type says nothing. */
function readFindings({ requestedVersion, packageFindings = [] }: api.Findings): readonly ServiceFinding[] {
  const stated = [...(requestedVersion?.findings ?? []), ...packageFindings].slice(0, 2 * MAX_FINDINGS);
  const byType = Map.groupBy(stated, ({ type }) => textOf(type));
  byType.delete('');
  return [...byType].slice(0, MAX_FINDINGS).map(([type, [first]]) => {
    const { risk, lowUsageContext } = first ?? {};
    const names = lowUsageContext?.alternativePackages?.flatMap(({ name = '' }) =>
      name === '' || name.length > MAX_NAME ? [] : name,
    );
    return { type, risk: textOf(risk), ...defined({ alternatives: names?.slice(0, MAX_ALTERNATIVES) }) };
  });
}

/** A name of an enumeration; other texts are shortened to what is shown. */
function textOf(text: string | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT);
}
