import { isObject, type JsonObject } from '../../model/json-object.ts';
import type { RestDescription, SchemaDescription } from '../description/description.ts';
import { jsonPath } from '../description/json-path.ts';
import { resolveSchema } from '../description/schema-reference.ts';
import { matchesPattern, textFormatProblem } from './formats.ts';
import { isInteger, numberProblem } from './numbers.ts';

/** A place where a value does not fit its schema. */
export interface SchemaProblem {
  /** `$.requests[3].purl`. */
  readonly path: string;
  readonly message: string;
}

/** The state of a walk through one value. */
export interface SchemaCheck {
  readonly document: RestDescription;
  /** Properties that this method requires must be present ("annotations.required"). */
  readonly methodId?: string | undefined;
  /** Whether formats are checked, which is done for requests only. */
  readonly formats: boolean;
  /** Schemas may refer to themselves: deeper values are reported and not walked. */
  readonly maxDepth: number;
  /** Keys from the root to the current value; one array, which changes. */
  readonly place: (string | number)[];
  readonly report: (path: string, message: string) => void;
  /** Whether enough was reported. */
  readonly isFull: () => boolean;
  /** Called for each object after its members, with the id of its schema. */
  readonly visit?: (schemaId: string | undefined, value: JsonObject, check: SchemaCheck) => void;
}

/** Limits the report for a hostile body. */
const MAX_PROBLEMS = 20;
/** Real bodies are far less deep. */
const MAX_DEPTH = 200;

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['object', 'an object'],
  ['array', 'a list'],
  ['string', 'text'],
  ['boolean', 'true or false'],
  ['integer', 'an integer'],
  ['number', 'a number'],
]);

/**
 * Checks the body of a request against a schema of the document: types, enumerations, patterns, formats, bounds of numbers, and the
 * properties that `methodId` requires. Unknown properties are accepted. Returns at most 20 problems, none when the value fits.
 */
export function checkRequestBody(
  document: RestDescription,
  schema: SchemaDescription,
  body: unknown,
  methodId: string,
): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const check: SchemaCheck = {
    ...{ document, methodId, formats: true, maxDepth: MAX_DEPTH, place: [] },
    report: (path, message) => problems.push({ path, message }),
    isFull: () => problems.length >= MAX_PROBLEMS,
  };
  checkValue(check, schema, body);
  return problems;
}

/** Reports everything in a value that does not fit its schema, by JSON path. */
export function checkValue(check: SchemaCheck, unresolved: SchemaDescription, value: unknown): void {
  if (check.isFull()) return;
  const schema = resolveSchema(check.document, unresolved);
  if (schema === undefined) {
    // In a request, a fault of the document is no problem of the value.
    if (!check.formats) refuse(check, `has a schema, ${unresolved.$ref}, that the document does not define`);
  } else if (check.place.length > check.maxDepth) refuse(check, 'is nested too deep');
  else if (value === null && (schema.nullable === true || unresolved.nullable === true)) return;
  else if (schema.type === 'object' && isObject(value)) checkObject(check, schema, value);
  else if (schema.type === 'array' && Array.isArray(value)) checkItems(check, schema, value);
  else if (schema.type === 'string' && typeof value === 'string') checkText(check, schema, value);
  else if (!hasType(schema.type, value)) refuse(check, `has to be ${TYPE_NAMES.get(schema.type ?? '')}`);
  else if (check.formats && typeof value === 'number') {
    const problem = numberProblem(schema, String(value));
    if (problem !== undefined) refuse(check, problem);
  }
}

function checkAt(check: SchemaCheck, key: string | number, schema: SchemaDescription, value: unknown): void {
  check.place.push(key);
  checkValue(check, schema, value);
  check.place.pop();
}

/** Reports a fault at `keys` below the place of the walk. */
export function refuse(
  { report, place }: SchemaCheck,
  message: string,
  ...keys: readonly (string | number)[]
): void {
  report(jsonPath([...place, ...keys]), message);
}

function hasType(type: string | undefined, value: unknown): boolean {
  switch (type) {
    case 'boolean':
    case 'number':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    default:
      return type === undefined || !TYPE_NAMES.has(type);
  }
}

/** Lists can be long: the schema of the items is found once. */
function checkItems(check: SchemaCheck, { items = {} }: SchemaDescription, value: readonly unknown[]): void {
  for (let index = 0; index < value.length && !check.isFull(); index += 1) {
    checkAt(check, index, items, value[index]);
  }
}

function checkObject(check: SchemaCheck, schema: SchemaDescription, value: JsonObject): void {
  const properties = schema.properties ?? {};
  for (const name in properties) {
    const property = properties[name] ?? {};
    const member = value[name];
    // `undefined` values are not sent.
    if (member !== undefined && Object.hasOwn(value, name)) checkAt(check, name, property, member);
    else if (check.methodId !== undefined && property.annotations?.required?.includes(check.methodId)) {
      refuse(check, 'is required', name);
    }
  }
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined) {
    for (const name in value) {
      if (!Object.hasOwn(properties, name)) checkAt(check, name, additionalProperties, value[name]);
    }
  }
  check.visit?.(schema.id, value, check);
}

function checkText(check: SchemaCheck, schema: SchemaDescription, value: string): void {
  const problem = !check.formats
    ? undefined
    : isInteger(schema)
      ? numberProblem(schema, value)
      : textFormatProblem(schema.format, value);
  if (problem !== undefined) refuse(check, problem);
  // Half a surrogate pair would be stored as another character.
  if (check.formats && !value.isWellFormed()) refuse(check, 'has half of a character');
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    refuse(check, `has to be one of ${schema.enum.join(', ')}`);
  }
  if (schema.pattern !== undefined && !matchesPattern(schema.pattern, value)) {
    refuse(check, `has to match ${schema.pattern}`);
  }
}
