import type { RestDescription, SchemaDescription } from '../description/description.ts';
import { methodsOf } from '../description/methods.ts';
import { partsOf, reachableSchemas, resolveSchema, schemaNamed } from '../description/schema-reference.ts';
import { below, type Differences } from './differences.ts';
import { type ComparedValue, compareValue } from './values.ts';

/** Both documents, and the pairs of schemas with different names that are compared already. */
export interface SchemaComparison {
  readonly before: RestDescription;
  readonly after: RestDescription;
  readonly found: Differences;
  readonly pairs: Set<string>;
}

/** Compares the schemas of two documents by name, with the directions in which methods use them. */
export function compareSchemas(comparison: SchemaComparison): void {
  const { before, after, found } = comparison;
  const methods = methodsOf(before).map(({ description }) => description);
  const sent = reachableSchemas(
    before,
    methods.flatMap(({ request }) => request ?? []),
  );
  const received = reachableSchemas(
    before,
    methods.flatMap(({ response }) => response ?? []),
  );
  const stillUsed = danglingReferences(after);
  for (const [name, schema] of Object.entries(before.schemas ?? {})) {
    const place = { subject: name, keys: ['schemas', name] };
    // A schema that no method names may still be received, in details of errors and operations.
    const direction = { sent: sent.has(name), received: received.has(name) || !sent.has(name) };
    const next = ownSchema(after, name);
    if (next !== undefined) compareSchema(comparison, { found, place, direction }, schema, next);
    else if (stillUsed.has(name))
      found.add('schema-removed', 'breaking', place, 'is gone and still referred to');
    else found.add('schema-removed', 'compatible', place, 'is gone; nothing refers to it now');
  }
  for (const name of Object.keys(after.schemas ?? {})) {
    if (ownSchema(before, name) !== undefined) continue;
    found.add('schema-added', 'compatible', { subject: name, keys: ['schemas', name] }, 'is new');
  }
}

/** Compares two schemas, inline or by reference, and all their parts. */
export function compareSchema(
  comparison: SchemaComparison,
  at: ComparedValue,
  before: SchemaDescription,
  after: SchemaDescription,
): void {
  if (before.$ref === after.$ref) compareParts(comparison, at, before, after);
  else compareReferences(comparison, at, before, after);
}

function compareParts(
  comparison: SchemaComparison,
  at: ComparedValue,
  before: SchemaDescription,
  after: SchemaDescription,
): void {
  compareValue(at, before, after);
  compareRequired(at, before, after);
  const parts = new Map(partsOf(after).map(([keys, part]) => [keys.join('\0'), part]));
  for (const [keys, part] of partsOf(before)) {
    const next = parts.get(keys.join('\0'));
    const inner = { ...at, place: below(at.place, ...keys) };
    if (next !== undefined) compareSchema(comparison, inner, part, next);
    else reportGone(inner, keys);
    parts.delete(keys.join('\0'));
  }
  for (const [key, part] of parts) reportNew(comparison, at, key.split('\0'), part);
}

/** Compares schemas of different names, or an inline schema with a reference, by their content. */
function compareReferences(
  comparison: SchemaComparison,
  at: ComparedValue,
  before: SchemaDescription,
  after: SchemaDescription,
): void {
  const pair = JSON.stringify([before.$ref ?? at.place.keys, after.$ref ?? at.place.keys]);
  if (comparison.pairs.has(pair)) return;
  comparison.pairs.add(pair);
  const [was, is] = [resolveSchema(comparison.before, before), resolveSchema(comparison.after, after)];
  if (was === undefined) return;
  const place = below(at.place, '$ref');
  if (is === undefined) {
    at.found.add('schema-missing', 'breaking', place, `refers to ${after.$ref}, which is not defined`);
    return;
  }
  const name = (schema: SchemaDescription) => schema.$ref ?? 'an inline schema';
  at.found.add('reference-changed', 'compatible', place, `refers to ${name(after)}, not to ${name(before)}`);
  compareParts(comparison, at, was, is);
}

/** A newly required property is breaking ("annotations.required"). */
function compareRequired(
  { found, place }: ComparedValue,
  before: SchemaDescription,
  after: SchemaDescription,
): void {
  const was = before.annotations?.required ?? [];
  const more = (after.annotations?.required ?? []).filter((method) => !was.includes(method));
  if (more.length === 0) return;
  const where = below(place, 'annotations', 'required');
  found.add('property-required', 'breaking', where, `is required now by ${more.join(', ')}`);
}

function reportGone({ found, place, direction }: ComparedValue, keys: readonly string[]): void {
  const [kind = '', name] = keys;
  if (kind === 'properties') {
    const how = direction.received
      ? 'is gone and no longer sent by the service'
      : 'is gone and no longer accepted';
    found.add('property-removed', 'breaking', place, `${name} ${how}`);
  } else found.add('type-changed', 'breaking', place, `${kind} is no longer described`);
}

function reportNew(
  { before }: SchemaComparison,
  at: ComparedValue,
  [kind = '', name = '']: readonly string[],
  part: SchemaDescription,
): void {
  const place = below(at.place, ...(kind === 'properties' ? [kind, name] : [kind]));
  const known = new Set(methodsOf(before).map(({ id }) => id));
  const requiring = (part.annotations?.required ?? []).filter((method) => known.has(method));
  if (requiring.length > 0) {
    at.found.add(
      'property-required',
      'breaking',
      place,
      `${name} is new and required by ${requiring.join(', ')}`,
    );
  } else if (kind === 'properties') at.found.add('property-added', 'compatible', place, `${name} is new`);
  else at.found.add('type-changed', 'compatible', place, `${kind} is described now`);
}

function danglingReferences(document: RestDescription): ReadonlySet<string> {
  const dangling = new Set<string>();
  const visit = (schema: SchemaDescription): void => {
    if (schema.$ref !== undefined && schemaNamed(document, schema.$ref) === undefined) {
      dangling.add(schema.$ref);
    }
    for (const [, part] of partsOf(schema)) visit(part);
  };
  for (const schema of Object.values(document.schemas ?? {})) visit(schema);
  for (const { description } of methodsOf(document)) {
    for (const schema of [description.request, description.response]) if (schema !== undefined) visit(schema);
  }
  return dangling;
}

function ownSchema({ schemas = {} }: RestDescription, name: string): SchemaDescription | undefined {
  return Object.hasOwn(schemas, name) ? schemas[name] : undefined;
}
