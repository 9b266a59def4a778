import type { LimitFunction } from 'p-limit';
import type {
  Project,
  ProjectResponse,
  PurlLookupResult,
  PurlResponse,
  Version,
  VersionResponse,
} from '../../model/api/insights-api.generated.ts';
import type { VersionKey } from '../../model/scan/version-key.ts';
import { readVersionPurl } from '../request/purl.ts';
import { ruledProject, ruledVersion } from '../request/rules.ts';
import type { InsightsService } from '../service.ts';
import type { BatchOperation } from './operation.ts';

// The rules are held against each request when it is prepared; `operations.ts` would do so again for each page.

export function versionOperation(
  service: InsightsService,
  limit: LimitFunction,
): BatchOperation<VersionKey, { readonly versionKey: VersionKey }, VersionResponse, Version> {
  return {
    limit,
    pages: { learned: undefined },
    prepare(key) {
      const versionKey = ruledVersion(key);
      service.allowed(versionKey.name);
      return { versionKey };
    },
    ask: (requests, page, options) =>
      service.ask('insights.getVersionBatch', () => ({ body: { requests, ...page } }), options),
    at: 'version',
    valueOf: ({ version }) => version,
  };
}

export function projectOperation(
  service: InsightsService,
  limit: LimitFunction,
): BatchOperation<string, { readonly projectKey: { readonly id: string } }, ProjectResponse, Project> {
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

export function purlOperation(
  service: InsightsService,
  limit: LimitFunction,
): BatchOperation<string, { readonly purl: string }, PurlResponse, PurlLookupResult> {
  return {
    limit,
    pages: { learned: undefined },
    prepare(text) {
      const { name, purl } = readVersionPurl(text);
      service.allowed(name);
      return { purl };
    },
    ask: (requests, page, options) =>
      service.ask('insights.purlLookupBatch', () => ({ body: { requests, ...page } }), options),
    at: 'result',
    valueOf: ({ result }) => result,
  };
}
