import type { ParameterDescription, SchemaDescription } from '../../discovery/description/description.ts';
import { defined } from '../../model/defined.ts';
import { typed } from '../../operations/read-parameters.ts';

/** An object of a JSON Schema or an OpenAPI document. */
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
  return defined({
    type: type === 'any' ? undefined : nullable === true ? [type, 'null'] : type,
    ...{ description, format, pattern, enum: schema.enum },
    minimum: minimum === undefined ? undefined : Number(minimum),
    maximum: maximum === undefined ? undefined : Number(maximum),
    default: schema.default === undefined ? undefined : typed(schema, schema.default),
    items: items && schemaOf(items),
    properties: properties && Object.fromEntries(names.map(([name, one]) => [name, schemaOf(one)])),
    required: required.length === 0 ? undefined : required,
    additionalProperties: schema.additionalProperties && schemaOf(schema.additionalProperties),
  });
}

/** A parameter as OpenAPI describes it. */
export function parameterOf(name: string, parameter: ParameterDescription): Json {
  const { description, required = false, location, repeated = false } = parameter;
  const { description: _shown, ...schema } = schemaOf(parameter);
  return {
    name,
    in: location,
    required,
    description,
    schema: repeated ? { type: 'array', items: schema } : schema,
    ...(repeated ? { style: 'form', explode: true } : {}),
  };
}
