import type { RestDescription } from '../description/description.ts';
import { type ApiMethod, methodsOf } from '../description/methods.ts';
import { below, type Place } from './differences.ts';
import { compareParameters } from './parameters.ts';
import { compareSchema, type SchemaComparison } from './schemas.ts';
import { compareUploads } from './uploads.ts';
import { compareDeprecation } from './values.ts';

/** Compares the methods of two documents by their ids; their place in the tree of resources is ignored. */
export function compareMethods(comparison: SchemaComparison): void {
  const { before, after, found } = comparison;
  const next = new Map(methodsOf(after).map((method) => [method.id, method]));
  for (const method of methodsOf(before)) {
    const place = { subject: method.id, keys: method.place };
    const successor = next.get(method.id);
    if (successor === undefined) found.add('method-removed', 'breaking', place, `${method.id} is gone`);
    else compareMethod(comparison, place, method, successor);
    next.delete(method.id);
  }
  for (const { id, place } of next.values()) {
    found.add('method-added', 'compatible', { subject: id, keys: place }, `${id} is new`);
  }
}

function compareMethod(
  comparison: SchemaComparison,
  place: Place,
  before: ApiMethod,
  after: ApiMethod,
): void {
  const { found } = comparison;
  if (before.httpMethod !== after.httpMethod) {
    const message = `is ${after.httpMethod} now, not ${before.httpMethod}`;
    found.add('verb-changed', 'breaking', below(place, 'httpMethod'), message);
  }
  const [was, is] = [effectivePath(comparison.before, before), effectivePath(comparison.after, after)];
  if (was.replaceAll(VARIABLE_NAME, '') !== is.replaceAll(VARIABLE_NAME, '')) {
    found.add('path-changed', 'breaking', below(place, 'path'), `is ${is} now, not ${was}`);
  }
  compareDeprecation({ found, place }, before.deprecated, after.deprecated);
  compareParameters(found, place, { before: before.parameters, after: after.parameters });
  compareBodies(comparison, place, before, after);
  compareScopes(comparison, place, before, after);
  compareUploads(
    found,
    below(place, 'mediaUpload'),
    before.description.mediaUpload,
    after.description.mediaUpload,
  );
}

/** Variables with other names expand to the same URL; renamed parameters are reported as parameters. */
const VARIABLE_NAME = /(?<=\{[^}A-Za-z_]*)[\w.%]+(?=[^}]*\})/g;

function effectivePath(document: RestDescription, { path }: ApiMethod): string {
  const base = (document.servicePath ?? document.basePath ?? '').replace(/\/+$/, '');
  return `${base}/${path.replace(/^\/+/, '')}`.replace(/^\/+/, '');
}

function compareBodies(
  comparison: SchemaComparison,
  place: Place,
  { description: before }: ApiMethod,
  { description: after }: ApiMethod,
): void {
  const { found } = comparison;
  for (const name of ['request', 'response'] as const) {
    const [was, is] = [before[name], after[name]];
    const where = below(place, name);
    if (was !== undefined && is !== undefined) {
      const direction = { sent: name === 'request', received: name === 'response' };
      compareSchema(comparison, { found, place: where, direction }, was, is);
    } else if (was !== undefined) found.add(`${name}-removed`, 'breaking', where, `no longer has a ${name}`);
    else if (is !== undefined) found.add(`${name}-added`, 'compatible', where, `has a ${name} now`);
  }
}

/** One scope of a method is sufficient for a caller: a scope that no longer suffices is breaking. */
function compareScopes(
  { found }: SchemaComparison,
  place: Place,
  { description: { scopes: before = [] } }: ApiMethod,
  { description: { scopes: after = [] } }: ApiMethod,
): void {
  const where = below(place, 'scopes');
  const removed = before.filter((scope) => !after.includes(scope));
  const added = after.filter((scope) => !before.includes(scope));
  if (before.length === 0 && added.length > 0) {
    found.add('scopes-narrowed', 'breaking', where, `needs one of these scopes now: ${added.join(', ')}`);
  } else if (after.length === 0 && removed.length > 0) {
    found.add('scopes-widened', 'compatible', where, 'no longer needs a scope');
  } else {
    if (removed.length > 0) {
      found.add('scopes-narrowed', 'breaking', where, `scopes that no longer suffice: ${removed.join(', ')}`);
    }
    if (added.length > 0) {
      found.add('scopes-widened', 'compatible', where, `scopes that suffice now: ${added.join(', ')}`);
    }
  }
}
