import type { RestDescription, SchemaDescription } from './description.ts';

/** A schema that is a reference to a reference is rare; this many are a circle. */
const MAX_HOPS = 50;

/** Follows a schema's references to what they name; `undefined` when they lead nowhere or in a circle. */
export function resolveSchema(
  document: RestDescription,
  schema: SchemaDescription,
): SchemaDescription | undefined {
  let current: SchemaDescription | undefined = schema;
  // Done for every value that is checked: counting is cheaper than remembering where it has been.
  for (let hops = 0; current?.$ref !== undefined; hops += 1) {
    if (hops > MAX_HOPS) return undefined;
    current = schemaNamed(document, current.$ref);
  }
  return current;
}

/** The schema that a reference names: by its key, as all documents have it, or by its `id`. */
export function schemaNamed(document: RestDescription, name: string): SchemaDescription | undefined {
  const schemas = document.schemas ?? {};
  return Object.hasOwn(schemas, name) ? schemas[name] : idsOf(document).get(name);
}

const ids = new WeakMap<RestDescription, ReadonlyMap<string, SchemaDescription>>();

/** Made when a key does not answer, which is hardly ever. */
function idsOf(document: RestDescription): ReadonlyMap<string, SchemaDescription> {
  let known = ids.get(document);
  if (known === undefined) {
    const schemas = Object.values(document.schemas ?? {});
    known = new Map(schemas.flatMap((schema) => (schema?.id === undefined ? [] : [[schema.id, schema]])));
    ids.set(document, known);
  }
  return known;
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

/** Names that references lead to from these schemas on; cycles end. */
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
