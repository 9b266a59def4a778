import type { RestDescription, SchemaDescription } from './description.ts';

/** References to references are rare; this many are a cycle. */
const MAX_HOPS = 50;

/** The schema that a reference leads to; `undefined` when it is missing or the references form a cycle. */
export function resolveSchema(
  document: RestDescription,
  schema: SchemaDescription,
): SchemaDescription | undefined {
  let current: SchemaDescription | undefined = schema;
  // Runs for every checked value: counting is faster than a set of visited schemas.
  for (let hops = 0; current?.$ref !== undefined; hops += 1) {
    if (hops > MAX_HOPS) return undefined;
    current = schemaNamed(document, current.$ref);
  }
  return current;
}

/** The schema that a reference names by its key, as in all known documents, or by its `id`. */
export function schemaNamed(document: RestDescription, name: string): SchemaDescription | undefined {
  const schemas = document.schemas ?? {};
  if (Object.hasOwn(schemas, name)) return schemas[name];
  return Object.values(schemas).findLast((schema) => schema?.id === name);
}

/** The parts of a schema, each with its keys. */
export function partsOf(
  schema: SchemaDescription,
): readonly (readonly [keys: readonly string[], part: SchemaDescription])[] {
  const parts: (readonly [readonly string[], SchemaDescription])[] = Object.entries(
    schema.properties ?? {},
  ).map(([name, property]) => [['properties', name], property]);
  if (schema.items !== undefined) parts.push([['items'], schema.items]);
  if (schema.additionalProperties !== undefined) {
    parts.push([['additionalProperties'], schema.additionalProperties]);
  }
  return parts;
}

/** Names of all schemas that these schemas refer to, directly or indirectly. */
export function reachableSchemas(
  document: RestDescription,
  roots: readonly SchemaDescription[],
): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [...roots];
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    const { $ref } = schema;
    if ($ref !== undefined && !reached.has($ref)) {
      reached.add($ref);
      pending.push(schemaNamed(document, $ref) ?? {});
    }
    for (const [, part] of partsOf(schema)) pending.push(part);
  }
  return reached;
}
