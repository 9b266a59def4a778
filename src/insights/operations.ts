import type { System, VersionKey } from '../model/version-record.ts';
import type * as api from './api.generated.ts';
import type { InsightsService } from './service.ts';

/*
 * The operations, by the names of the specification's table ("Endpoints"); types come from the description document.
 * Each throws `InsightsError`.
 */

export interface PackageName {
  readonly system: System;
  readonly name: string;
}

export function getPackage(
  service: InsightsService,
  key: PackageName,
  signal: AbortSignal,
): Promise<api.Package> {
  return service.get('insights.getPackage', packageParams(key), signal);
}

export function getVersion(
  service: InsightsService,
  key: VersionKey,
  signal: AbortSignal,
): Promise<api.Version> {
  return service.get('insights.getVersion', versionParams(key), signal);
}

export function getVersionBatch(
  service: InsightsService,
  body: api.VersionBatchRequest,
  signal: AbortSignal,
): Promise<api.VersionBatch> {
  return service.post('insights.getVersionBatch', body, signal);
}

export function getDependencies(
  service: InsightsService,
  key: VersionKey,
  signal: AbortSignal,
): Promise<api.Dependencies> {
  return service.get('insights.getDependencies', versionParams(key), signal);
}

export function getAdvisory(
  service: InsightsService,
  id: string,
  signal: AbortSignal,
): Promise<api.Advisory> {
  return service.get('insights.getAdvisory', { 'advisoryKey.id': id }, signal);
}

export function purlLookupBatch(
  service: InsightsService,
  body: api.PurlLookupBatchRequest,
  signal: AbortSignal,
): Promise<api.PurlLookupBatchResult> {
  return service.post('insights.purlLookupBatch', body, signal);
}

function packageParams({ system, name }: PackageName) {
  return { 'packageKey.system': system, 'packageKey.name': name } as const;
}

function versionParams({ system, name, version }: VersionKey) {
  return { 'versionKey.system': system, 'versionKey.name': name, 'versionKey.version': version } as const;
}
