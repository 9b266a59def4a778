import type { System, VersionKey } from '../model/version-record.ts';
import type * as api from './api.generated.ts';
import type { InsightsService as Service } from './service.ts';

/*
 * The operations, by the names of the specification's table ("Endpoints"); types come from the description document.
 * Each throws `InsightsError`.
 */

export type QueryParams = api.InsightsMethods['insights.query']['params'];

export interface PackageName {
  readonly system: System;
  readonly name: string;
}

export function getPackage(service: Service, key: PackageName, signal: AbortSignal) {
  return service.get('insights.getPackage', packageParams(key), signal);
}

export function getVersion(service: Service, key: VersionKey, signal: AbortSignal) {
  return service.get('insights.getVersion', versionParams(key), signal);
}

export function getVersionBatch(service: Service, body: api.VersionBatchRequest, signal: AbortSignal) {
  return service.post('insights.getVersionBatch', body, signal);
}

export function getRequirements(service: Service, key: VersionKey, signal: AbortSignal) {
  return service.get('insights.getRequirements', versionParams(key), signal);
}

export function getDependencies(service: Service, key: VersionKey, signal: AbortSignal) {
  return service.get('insights.getDependencies', versionParams(key), signal);
}

export function getDependents(service: Service, key: VersionKey, signal: AbortSignal) {
  return service.get('insights.getDependents', versionParams(key), signal);
}

export function getCapabilities(service: Service, key: VersionKey, signal: AbortSignal) {
  return service.get('insights.getCapabilities', versionParams(key), signal);
}

export function getProject(service: Service, id: string, signal: AbortSignal) {
  return service.get('insights.getProject', { 'projectKey.id': id }, signal);
}

export function getProjectBatch(service: Service, body: api.ProjectBatchRequest, signal: AbortSignal) {
  return service.post('insights.getProjectBatch', body, signal);
}

export function getProjectPackageVersions(service: Service, id: string, signal: AbortSignal) {
  return service.get('insights.getProjectPackageVersions', { 'projectKey.id': id }, signal);
}

export function getAdvisory(service: Service, id: string, signal: AbortSignal) {
  return service.get('insights.getAdvisory', { 'advisoryKey.id': id }, signal);
}

export function getSimilarlyNamedPackages(service: Service, key: PackageName, signal: AbortSignal) {
  return service.get('insights.getSimilarlyNamedPackages', packageParams(key), signal);
}

export function query(service: Service, by: QueryParams, signal: AbortSignal) {
  return service.get('insights.query', by, signal);
}

export function purlLookup(service: Service, purl: string, signal: AbortSignal) {
  return service.get('insights.purlLookup', { purl }, signal);
}

export function purlLookupBatch(service: Service, body: api.PurlLookupBatchRequest, signal: AbortSignal) {
  return service.post('insights.purlLookupBatch', body, signal);
}

export function queryContainerImages(service: Service, chainId: string, signal: AbortSignal) {
  return service.get('insights.queryContainerImages', { chainId }, signal);
}

function packageParams({ system, name }: PackageName) {
  return { 'packageKey.system': system, 'packageKey.name': name } as const;
}

function versionParams({ system, name, version }: VersionKey) {
  return { 'versionKey.system': system, 'versionKey.name': name, 'versionKey.version': version } as const;
}
