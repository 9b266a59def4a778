import type { ContractDifference } from '../../model/api/contract.ts';
import type { MediaUploadDescription, RestDescription } from '../description/description.ts';
import { type ApiMethod, methodsOf } from '../description/methods.ts';
import { reportInvalidDocuments } from '../description/validate-description.ts';
import { uploadLimit } from '../upload/media-range.ts';
import { collectDifferences, type Pair, type Place } from './differences.ts';
import { compareSchema, compareSchemas, type SchemaComparison } from './schemas.ts';
import { compareDeprecation, compareParameters } from './values.ts';

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

/** Compares the methods of two documents by their ids; their place in the tree of resources is ignored. */
function compareMethods(comparison: SchemaComparison): void {
  const { before, after, found } = comparison;
  const next = new Map(methodsOf(after).map((method) => [method.id, method]));
  for (const method of methodsOf(before)) {
    const place = found.at(method.id, method.place);
    const successor = next.get(method.id);
    if (successor === undefined) place.add('method-removed', 'breaking', `${method.id} is gone`);
    else compareMethod(comparison, place, { before: method, after: successor });
    next.delete(method.id);
  }
  for (const { id, place } of next.values()) {
    found.at(id, place).add('method-added', 'compatible', `${id} is new`);
  }
}

function compareMethod(comparison: SchemaComparison, place: Place, methods: Pair<ApiMethod>): void {
  const { before, after } = methods;
  if (before.httpMethod !== after.httpMethod) {
    const message = `is ${after.httpMethod} now, not ${before.httpMethod}`;
    place.below('httpMethod').add('verb-changed', 'breaking', message);
  }
  const [was, is] = [effectivePath(comparison.before, before), effectivePath(comparison.after, after)];
  if (was.replaceAll(VARIABLE, withoutName) !== is.replaceAll(VARIABLE, withoutName)) {
    place.below('path').add('path-changed', 'breaking', `is ${is} now, not ${was}`);
  }
  compareDeprecation(place, { before: before.deprecated, after: after.deprecated });
  compareParameters(place, { before: before.parameters, after: after.parameters });
  compareBodies(comparison, place, methods);
  compareScopes(place, methods);
  const uploads = { before: before.description.mediaUpload, after: after.description.mediaUpload };
  compareUploads(place.below('mediaUpload'), uploads);
}

/** Variables with other names expand to the same URL; renamed parameters are reported as parameters. */
const VARIABLE = /\{[^{}]*\}/g;
const withoutName = (variable: string) => variable.replaceAll(/[\w.%]+/g, '');

function effectivePath(document: RestDescription, { path }: ApiMethod): string {
  const base = (document.servicePath ?? document.basePath ?? '').replace(/(?<!\/)\/+$/, '');
  return `${base}/${path.replace(/^\/+/, '')}`.replace(/^\/+/, '');
}

function compareBodies(
  comparison: SchemaComparison,
  place: Place,
  { before: { description: before }, after: { description: after } }: Pair<ApiMethod>,
): void {
  for (const name of ['request', 'response'] as const) {
    const [was, is] = [before[name], after[name]];
    const where = place.below(name);
    if (was !== undefined && is !== undefined) {
      const direction = { sent: name === 'request', received: name === 'response' };
      compareSchema(comparison, { place: where, direction }, { before: was, after: is });
    } else if (was !== undefined) where.add(`${name}-removed`, 'breaking', `no longer has a ${name}`);
    else if (is !== undefined) where.add(`${name}-added`, 'compatible', `has a ${name} now`);
  }
}

/** One scope of a method is sufficient for a caller: a scope that no longer suffices is breaking. */
function compareScopes(place: Place, methods: Pair<ApiMethod>): void {
  const { scopes: before = [] } = methods.before.description;
  const { scopes: after = [] } = methods.after.description;
  const where = place.below('scopes');
  const removed = before.filter((scope) => !after.includes(scope));
  const added = after.filter((scope) => !before.includes(scope));
  if (before.length === 0 && added.length > 0) {
    where.add('scopes-narrowed', 'breaking', `needs one of these scopes now: ${added.join(', ')}`);
  } else if (after.length === 0 && removed.length > 0) {
    where.add('scopes-widened', 'compatible', 'no longer needs a scope');
  } else {
    if (removed.length > 0) {
      where.add('scopes-narrowed', 'breaking', `scopes that no longer suffice: ${removed.join(', ')}`);
    }
    if (added.length > 0) {
      where.add('scopes-widened', 'compatible', `scopes that suffice now: ${added.join(', ')}`);
    }
  }
}

/** Compares the media uploads of a method; `place` is that of `mediaUpload`. */
function compareUploads(place: Place, { before, after }: Pair<MediaUploadDescription | undefined>): void {
  if (before === undefined) {
    if (after !== undefined) place.add('upload-added', 'compatible', 'accepts media now');
  } else if (after === undefined) place.add('upload-removed', 'breaking', 'no longer accepts media');
  else {
    compareProtocols(place, { before, after });
    compareLimits(place, { before, after });
  }
}

function compareProtocols(place: Place, { before, after }: Pair<MediaUploadDescription>): void {
  for (const name of ['simple', 'resumable'] as const) {
    const [was, is] = [before.protocols?.[name], after.protocols?.[name]];
    const at = place.below('protocols', name);
    if (was === undefined) continue;
    if (is === undefined) at.add('upload-removed', 'breaking', `${name} upload is gone`);
    else if (was.path !== is.path) {
      at.below('path').add('path-changed', 'breaking', `is ${is.path} now, not ${was.path}`);
    } else if (was.multipart === true && is.multipart !== true) {
      at.below('multipart').add('upload-narrowed', 'breaking', 'no longer accepts metadata');
    }
  }
}

function compareLimits(place: Place, { before, after }: Pair<MediaUploadDescription>): void {
  const { accept } = after;
  // Without a list every type is accepted.
  const removed =
    accept === undefined ? [] : (before.accept ?? ['*/*']).filter((range) => !accept.includes(range));
  if (removed.length > 0) {
    const message = `no longer names: ${removed.join(', ')}`;
    place.below('accept').add('upload-narrowed', 'breaking', message);
  }
  if ((uploadLimit(after.maxSize) ?? Infinity) < (uploadLimit(before.maxSize) ?? Infinity)) {
    const message = `is ${after.maxSize} now, not ${before.maxSize ?? 'unlimited'}`;
    place.below('maxSize').add('upload-narrowed', 'breaking', message);
  }
}
