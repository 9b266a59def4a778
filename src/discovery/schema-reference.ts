import type { RestDescription } from './description.ts';
import type { SchemaDescription } from './schema-description.ts';

/** A schema that is a reference to a reference is rare; this many are a circle. */
const MAX_HOPS = 50;

/** Follows a schema's references to what they name; `undefined` when they lead nowhere or in a circle. */
export function resolveSchema(
  document: RestDescription,
  schema: SchemaDescription,
): SchemaDescription | undefined {
  const schemas = document.schemas ?? {};
  let current: SchemaDescription | undefined = schema;
  // Done for every value that is checked: counting is cheaper than remembering where it has been.
  for (let hops = 0; current?.$ref !== undefined; hops += 1) {
    if (hops > MAX_HOPS) return undefined;
    current = Object.hasOwn(schemas, current.$ref) ? schemas[current.$ref] : undefined;
  }
  return current;
}

/** The parts of a schema, each with the keys that lead to it. */
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

/** Names of the schemas that can be reached from one, itself included; cycles end. */
export function reachableSchemas(
  document: RestDescription,
  roots: readonly SchemaDescription[],
): ReadonlySet<string> {
  const schemas = document.schemas ?? {};
  const reached = new Set<string>();
  const pending = [...roots];
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    const { $ref } = schema;
    if ($ref !== undefined && !reached.has($ref) && Object.hasOwn(schemas, $ref)) {
      reached.add($ref);
      pending.push(schemas[$ref] ?? {});
    }
    for (const [, part] of partsOf(schema)) pending.push(part);
  }
  return reached;
}
