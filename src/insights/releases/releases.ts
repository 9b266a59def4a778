import type { LimitFunction } from 'p-limit';
import { UNCOVERED } from '../../model/api/extensions.ts';
import type { Findings } from '../../model/api/insights-api.generated.ts';
import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { Releases } from '../../model/ports/insights.ts';
import type { ServiceFinding } from '../../model/signal/release-facts.ts';
import { type Answered, answerOf } from '../answered.ts';
import { createBatchWork } from '../batch/operation.ts';
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
    async details(keys, signal) {
      const found: Awaited<ReturnType<Releases['details']>>[number][] = keys.map(() => undefined);
      await batch(
        keys,
        (entries) => {
          for (const [index, { value, error }] of entries) {
            found[index] = error === undefined ? value && readDetail(value) : { error };
          }
        },
        signal,
      );
      return found;
    },
    async findings(keys, signal) {
      const found: Awaited<ReturnType<Releases['findings']>>[number][] = keys.map(() => undefined);
      await said(
        keys,
        (entries) => {
          for (const [index, entry] of entries) {
            if ('raw' in entry) found[index] = statedIn(entry.value, entry.raw);
            else if (entry.error?.code !== 'unsupported') found[index] = { error: entry.error };
          }
        },
        signal,
      );
      return found;
    },
    async requirements(key, signal) {
      // What was inspected before was compared with graphs: another source would look like a change.
      if (!hasNewerRequirements(key.system)) {
        const stated = await ask(() => getRequirements(service, key, { signal }));
        return stated && readRequirements(stated);
      }
      return await graph(key, signal);
    },
    async scorecards(ids, signal) {
      const found: Awaited<ReturnType<Releases['scorecards']>>[number][] = ids.map(() => undefined);
      await projects(
        ids,
        (entries) => {
          for (const [index, { value, error }] of entries) {
            found[index] = error === undefined ? value && readScorecard(value) : { error };
          }
        },
        signal,
      );
      return found;
    },
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

/** A local data set that does not have the version says nothing of it. */
function statedIn(value: Findings | undefined, raw: unknown): readonly ServiceFinding[] | undefined {
  const { findings } = raw as { readonly findings?: { readonly [UNCOVERED]?: unknown } };
  return findings?.[UNCOVERED] === true ? undefined : value && readFindings(value);
}

/** That the index does not have it is an answer. */
function foundIn<Value>(answered: Answered<Value>): Value | undefined {
  const { error } = answered;
  if (error instanceof InsightsError && error.code === 'not-found') return undefined;
  return answerOf(answered).value;
}
