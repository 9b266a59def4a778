import type { ContractDifference } from '../../model/api/contract.ts';
import type { RestDescription } from '../description/description.ts';
import { reportInvalidDocuments } from '../description/invalid-document.ts';
import { collectDifferences, type Differences } from './differences.ts';
import { compareMethods } from './methods.ts';
import { compareParameters } from './parameters.ts';
import { compareSchemas } from './schemas.ts';

/**
 * The differences from one description document to another for a client of the first: methods by id, schemas by name,
 * breaking differences first. Documentation (titles, descriptions, revisions) is ignored. Throws `DiscoveryError`
 * (`invalid-document`) for an invalid document.
 */
export function compareDescriptions(
  before: RestDescription,
  after: RestDescription,
): readonly ContractDifference[] {
  return reportInvalidDocuments([before, after], () => {
    const found = collectDifferences();
    compareDocuments(found, before, after);
    const comparison = { before, after, found, pairs: new Set<string>() };
    compareMethods(comparison);
    compareSchemas(comparison);
    return found.list();
  });
}

function compareDocuments(found: Differences, before: RestDescription, after: RestDescription): void {
  const place = { subject: 'document', keys: [] };
  const [was, is] = [rootOf(before), rootOf(after)];
  if (was !== is) {
    const message = `is ${is ?? '(none)'} now, not ${was ?? '(none)'}`;
    found.add('root-url-changed', 'breaking', { ...place, keys: ['rootUrl'] }, message);
  }
  for (const label of after.labels ?? []) {
    if (label !== 'deprecated' || before.labels?.includes(label) === true) continue;
    found.add('deprecated', 'deprecating', { ...place, keys: ['labels'] }, 'the API became deprecated');
  }
  compareEndpoints(found, before, after);
  compareParameters(found, place, {
    before: new Map(Object.entries(before.parameters ?? {})),
    after: new Map(Object.entries(after.parameters ?? {})),
  });
}

function rootOf({ rootUrl, baseUrl }: RestDescription): string | undefined {
  return (rootUrl ?? (baseUrl === undefined ? undefined : URL.parse(baseUrl)?.origin))?.replace(/\/+$/, '');
}

/** Hosts for single locations; the default one is `rootUrl`. */
function compareEndpoints(found: Differences, before: RestDescription, after: RestDescription): void {
  const place = { subject: 'document', keys: ['endpoints'] };
  const next = new Map((after.endpoints ?? []).map((endpoint) => [endpoint.endpointUrl, endpoint]));
  for (const { endpointUrl = '(none)', deprecated } of before.endpoints ?? []) {
    const endpoint = next.get(endpointUrl);
    if (endpoint === undefined) found.add('endpoint-removed', 'breaking', place, `${endpointUrl} is gone`);
    else if (endpoint.deprecated === true && deprecated !== true) {
      found.add('deprecated', 'deprecating', place, `${endpointUrl} became deprecated`);
    }
    next.delete(endpointUrl);
  }
  for (const endpointUrl of next.keys()) {
    found.add('endpoint-added', 'compatible', place, `${endpointUrl ?? '(none)'} is new`);
  }
}
