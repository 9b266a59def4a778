import type { ContractDifference } from '../../model/api/contract.ts';
import type { RestDescription } from '../description/description.ts';
import { reportInvalidDocuments } from '../description/invalid-document.ts';
import { collectDifferences } from './differences.ts';
import { compareMethods } from './methods.ts';
import { compareParameters } from './parameters.ts';
import { compareSchemas, type SchemaComparison } from './schemas.ts';

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
    const comparison = { before, after, found, pairs: new Set<string>() };
    compareDocuments(comparison);
    compareMethods(comparison);
    compareSchemas(comparison);
    return found.list();
  });
}

function compareDocuments(comparison: SchemaComparison): void {
  const { before, after, found } = comparison;
  const place = found.at('document', []);
  const [was, is] = [rootOf(before), rootOf(after)];
  if (was !== is) {
    const message = `is ${is ?? '(none)'} now, not ${was ?? '(none)'}`;
    place.below('rootUrl').add('root-url-changed', 'breaking', message);
  }
  for (const label of after.labels ?? []) {
    if (label !== 'deprecated' || before.labels?.includes(label) === true) continue;
    place.below('labels').add('deprecated', 'deprecating', 'the API became deprecated');
  }
  compareEndpoints(comparison);
  compareParameters(place, {
    before: new Map(Object.entries(before.parameters ?? {})),
    after: new Map(Object.entries(after.parameters ?? {})),
  });
}

function rootOf({ rootUrl, baseUrl }: RestDescription): string | undefined {
  return (rootUrl ?? (baseUrl === undefined ? undefined : URL.parse(baseUrl)?.origin))?.replace(
    /(?<!\/)\/+$/,
    '',
  );
}

/** Hosts for single locations; the default one is `rootUrl`. */
function compareEndpoints({ before, after, found }: SchemaComparison): void {
  const place = found.at('document', ['endpoints']);
  const next = new Map((after.endpoints ?? []).map((endpoint) => [endpoint.endpointUrl, endpoint]));
  for (const { endpointUrl = '(none)', deprecated } of before.endpoints ?? []) {
    const endpoint = next.get(endpointUrl);
    if (endpoint === undefined) place.add('endpoint-removed', 'breaking', `${endpointUrl} is gone`);
    else if (endpoint.deprecated === true && deprecated !== true) {
      place.add('deprecated', 'deprecating', `${endpointUrl} became deprecated`);
    }
    next.delete(endpointUrl);
  }
  for (const endpointUrl of next.keys()) {
    place.add('endpoint-added', 'compatible', `${endpointUrl ?? '(none)'} is new`);
  }
}
