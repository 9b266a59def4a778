import type { RestDescription, SchemaDescription } from './description.ts';
import { resolveSchema } from './schema-reference.ts';
import { enumValuesOf } from './summary.ts';

/** One line of the outline of a schema. */
export type OutlineLine = ReturnType<typeof lineOf>;

/** The properties of a schema and of the schemas in it, down to `depth` levels; recursive schemas are listed once. */
export function outlineSchema(
  document: RestDescription,
  name: string,
  depth: number,
): readonly OutlineLine[] {
  const lines: OutlineLine[] = [];
  const visit = (schema: SchemaDescription, level: number, above: readonly string[]): void => {
    const resolved = resolveSchema(document, schema);
    const path = schema.$ref === undefined ? above : [...above, schema.$ref];
    for (const [key, property] of Object.entries(resolved?.properties ?? {})) {
      const inner = elementOf(property);
      lines.push(lineOf(key, property, inner, level));
      const isRecursive = inner.$ref !== undefined && path.includes(inner.$ref);
      if (level + 1 < depth && !isRecursive) visit(inner, level + 1, path);
    }
  };
  visit({ $ref: name }, 0, []);
  return lines;
}

/** `inner`: the property, or the element of a list or map. */
function lineOf(name: string, property: SchemaDescription, inner: SchemaDescription, depth: number) {
  return {
    depth,
    name,
    type: typeText(property),
    description: property.description ?? '',
    default: property.default ?? null,
    enum: enumValuesOf(inner),
    /** Ids of the methods whose requests require it. */
    requiredBy: property.annotations?.required ?? [],
  };
}

/** The element of a list or map; any other schema unchanged. */
function elementOf(schema: SchemaDescription): SchemaDescription {
  const inner = schema.items ?? schema.additionalProperties;
  return inner === undefined ? schema : elementOf(inner);
}

/** The type of a schema: `string (int64)`, `Author[]`. */
function typeText({ $ref, type, format, items, additionalProperties }: SchemaDescription): string {
  if ($ref !== undefined) return $ref;
  if (type === 'array') return `${typeText(items ?? {})}[]`;
  if (additionalProperties !== undefined) return `map of ${typeText(additionalProperties)}`;
  return `${type ?? 'any'}${format === undefined ? '' : ` (${format})`}`;
}
