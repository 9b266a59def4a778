import type { RestDescription, SchemaDescription } from '../description/description.ts';
import { methodsOf } from '../description/methods.ts';
import { partsOf, reachableSchemas, resolveSchema, schemaNamed } from '../description/schema-reference.ts';
import type { Differences, Pair } from './differences.ts';
import { type ComparedValue, compareValue } from './values.ts';

/** The two documents, and the pairs of schemas with different names that are compared already. */
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
    const place = found.at(name, ['schemas', name]);
    // A schema that no method names may still be received, in details of errors and operations.
    const direction = { sent: sent.has(name), received: received.has(name) || !sent.has(name) };
    const next = ownSchema(after, name);
    if (next !== undefined) compareSchema(comparison, { place, direction }, { before: schema, after: next });
    else if (stillUsed.has(name)) place.add('schema-removed', 'breaking', 'is gone and still referred to');
    else place.add('schema-removed', 'compatible', 'is gone; nothing refers to it now');
  }
  for (const name of Object.keys(after.schemas ?? {})) {
    if (ownSchema(before, name) !== undefined) continue;
    found.at(name, ['schemas', name]).add('schema-added', 'compatible', 'is new');
  }
}

/** Compares two schemas, inline or by reference, and all their parts. */
export function compareSchema(
  comparison: SchemaComparison,
  at: ComparedValue,
  pair: Pair<SchemaDescription>,
): void {
  if (pair.before.$ref === pair.after.$ref) compareParts(comparison, at, pair);
  else compareReferences(comparison, at, pair);
}

function compareParts(comparison: SchemaComparison, at: ComparedValue, pair: Pair<SchemaDescription>): void {
  compareValue(at, pair);
  compareRequired(at, pair);
  const parts = new Map(partsOf(pair.after).map(([keys, part]) => [keys.join('\0'), part]));
  for (const [keys, part] of partsOf(pair.before)) {
    const next = parts.get(keys.join('\0'));
    const inner = { ...at, place: at.place.below(...keys) };
    if (next !== undefined) compareSchema(comparison, inner, { before: part, after: next });
    else reportGone(inner, keys);
    parts.delete(keys.join('\0'));
  }
  for (const [key, part] of parts) reportNew(comparison, at, key.split('\0'), part);
}

/** Compares schemas of different names, or an inline schema with a reference, by their content. */
function compareReferences(
  comparison: SchemaComparison,
  at: ComparedValue,
  { before, after }: Pair<SchemaDescription>,
): void {
  const pair = JSON.stringify([before.$ref ?? at.place.keys, after.$ref ?? at.place.keys]);
  if (comparison.pairs.has(pair)) return;
  comparison.pairs.add(pair);
  const [was, is] = [resolveSchema(comparison.before, before), resolveSchema(comparison.after, after)];
  if (was === undefined) return;
  const place = at.place.below('$ref');
  if (is === undefined) {
    place.add('schema-missing', 'breaking', `refers to ${after.$ref}, which is not defined`);
    return;
  }
  const name = (schema: SchemaDescription) => schema.$ref ?? 'an inline schema';
  place.add('reference-changed', 'compatible', `refers to ${name(after)}, not to ${name(before)}`);
  compareParts(comparison, at, { before: was, after: is });
}

/** A newly required property is breaking ("annotations.required"). */
function compareRequired({ place }: ComparedValue, { before, after }: Pair<SchemaDescription>): void {
  const was = before.annotations?.required ?? [];
  const more = (after.annotations?.required ?? []).filter((method) => !was.includes(method));
  if (more.length === 0) return;
  const where = place.below('annotations', 'required');
  where.add('property-required', 'breaking', `is required now by ${more.join(', ')}`);
}

function reportGone({ place, direction }: ComparedValue, keys: readonly string[]): void {
  const [kind = '', name] = keys;
  if (kind === 'properties') {
    const how = direction.received
      ? 'is gone and no longer sent by the service'
      : 'is gone and no longer accepted';
    place.add('property-removed', 'breaking', `${name} ${how}`);
  } else place.add('type-changed', 'breaking', `${kind} is no longer described`);
}

function reportNew(
  { before }: SchemaComparison,
  at: ComparedValue,
  [kind = '', name = '']: readonly string[],
  part: SchemaDescription,
): void {
  const place = at.place.below(...(kind === 'properties' ? [kind, name] : [kind]));
  const known = new Set(methodsOf(before).map(({ id }) => id));
  const requiring = (part.annotations?.required ?? []).filter((method) => known.has(method));
  if (requiring.length > 0) {
    place.add('property-required', 'breaking', `${name} is new and required by ${requiring.join(', ')}`);
  } else if (kind === 'properties') place.add('property-added', 'compatible', `${name} is new`);
  else place.add('type-changed', 'compatible', `${kind} is described now`);
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
