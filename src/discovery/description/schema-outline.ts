import type { RestDescription, SchemaDescription } from './description.ts';
import { resolveSchema } from './schema-reference.ts';
import { type EnumValue, enumValuesOf, type MethodSummary } from './summary.ts';

/** One method with outlines of its body and its answer. */
export interface MethodDetail extends MethodSummary {
  readonly requestSchema: readonly OutlineLine[];
  readonly responseSchema: readonly OutlineLine[];
}

/** One line of the outline of a schema. */
export interface OutlineLine {
  readonly depth: number;
  readonly name: string;
  /** `string (int64)`, `Author[]`, `map of string`. */
  readonly type: string;
  readonly description: string;
  /** Null when the document names none. */
  readonly default: string | null;
  /** The values of the property, or of the elements of a list or map; empty when every value is allowed. */
  readonly enum: readonly EnumValue[];
  /** Ids of the methods whose requests require it (`annotations.required`). */
  readonly requiredBy: readonly string[];
}

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

function lineOf(
  name: string,
  property: SchemaDescription,
  inner: SchemaDescription,
  depth: number,
): OutlineLine {
  return {
    depth,
    name,
    type: typeText(property),
    description: property.description ?? '',
    default: property.default ?? null,
    enum: enumValuesOf(inner),
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
