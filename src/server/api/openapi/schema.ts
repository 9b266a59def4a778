import type { SchemaDescription } from '../../../discovery/description/description.ts';

/** An object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** A schema of a description document as JSON Schema, draft 2020-12. */
export function schemaOf(schema: SchemaDescription): Json {
  const { $ref, type, description, format, pattern, minimum, maximum, items, properties, nullable } = schema;
  if ($ref !== undefined)
    return { $ref: `#/components/schemas/${$ref}`, ...(description && { description }) };
  const names = Object.entries(properties ?? {});
  const required = names
    .filter(([, one]) => (one.annotations?.required ?? []).length > 0)
    .map(([name]) => name);
  return {
    ...(type === undefined || type === 'any' ? {} : { type: nullable === true ? [type, 'null'] : type }),
    ...(description === undefined ? {} : { description }),
    ...(format === undefined ? {} : { format }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(schema.enum === undefined ? {} : { enum: schema.enum }),
    ...(minimum === undefined ? {} : { minimum: Number(minimum) }),
    ...(maximum === undefined ? {} : { maximum: Number(maximum) }),
    ...(schema.default === undefined ? {} : { default: defaultOf(type, schema.default) }),
    ...(items === undefined ? {} : { items: schemaOf(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(names.map(([name, one]) => [name, schemaOf(one)])) }),
    ...(required.length === 0 ? {} : { required }),
    ...(schema.additionalProperties === undefined
      ? {}
      : { additionalProperties: schemaOf(schema.additionalProperties) }),
  };
}

/** Documents write defaults as text. */
function defaultOf(type: string | undefined, text: string): unknown {
  if (type === 'boolean') return text === 'true';
  return type === 'integer' || type === 'number' ? Number(text) : text;
}
