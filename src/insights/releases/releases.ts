import type { LimitFunction } from 'p-limit';
import { UNCOVERED } from '../../model/api/extensions.ts';
import type { Findings } from '../../model/api/insights-api.generated.ts';
import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { Releases } from '../../model/ports/insights.ts';
import type { ServiceFinding } from '../../model/signal/release-facts.ts';
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
import { requireGraph, requirePackage } from '../records/subject.ts';
import { readHash } from '../request/params.ts';
import { hasFacts } from '../request/rules.ts';
import type { InsightsService } from '../service.ts';
import { FINDINGS_FIELDS, readFindings } from './read-findings.ts';
import {
  DETAIL_FIELDS,
  RELEASE_FIELDS,
  readDetail,
  readDirectNodes,
  readReleases,
  readRequirements,
  readScorecard,
  SCORECARD_FIELDS,
} from './read-release.ts';

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
