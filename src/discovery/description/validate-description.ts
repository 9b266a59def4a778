import { CodedError, messageOf } from '../../model/errors.ts';
import { isObject, type JsonObject } from '../../model/json-object.ts';
import { DiscoveryError } from '../errors.ts';
import { checkValue, refuse, type SchemaCheck } from '../request/schema-check.ts';
import { templateVariables } from '../request/uri-template.ts';
import { uploadLimit } from '../upload/media-range.ts';
import type { RestDescription } from './description.ts';
import { SPECIFICATION } from './specification.ts';

/** A place where a description document does not follow the specification. */
interface DescriptionProblem {
  /** `error`: a part of the document cannot be used. `warning`: unusual, but usable. */
  readonly severity: 'error' | 'warning';
  /** `$.resources.books.methods.get.httpMethod`. */
  readonly path: string;
  readonly message: string;
}

/** The result for one file. It is valid when no problem is an error. */
export interface ValidatedFile {
  readonly file: string;
  readonly valid: boolean;
  /** `name:version`, where the document states it. */
  readonly id: string | null;
  readonly methods: number;
  readonly schemas: number;
  readonly problems: readonly DescriptionProblem[];
}

/** Limits the report for a hostile document. */
const MAX_PROBLEMS = 100;
const TYPES: ReadonlySet<string> = new Set('any array boolean integer null number object string'.split(' '));
/** Levels of JSON; real documents have fewer than 40. */
const MAX_DEPTH = 1_000;

/**
 * Checks a parsed JSON value against the specification of description documents. Unknown fields are accepted. Returns at
 * most 100 problems, errors and warnings, each with its JSON path.
 */
export function validateDescription(value: unknown): readonly DescriptionProblem[] {
  const problems: DescriptionProblem[] = [];
  const add = (severity: DescriptionProblem['severity']) => (path: string, message: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ severity, path, message });
  };
  const check: SchemaCheck = {
    document: SPECIFICATION,
    formats: false,
    maxDepth: MAX_DEPTH,
    place: [],
    report: add('error'),
    isFull: () => problems.length >= MAX_PROBLEMS,
    visit: visitor(value, add('warning')),
  };
  checkValue(check, { $ref: 'RestDescription' }, value);
  if (isObject(value)) checkTop(value, check, { ...check, report: add('warning') });
  return problems;
}

/** The checks beyond types, by the schema of an object. */
function visitor(value: unknown, warn: SchemaCheck['report']): NonNullable<SchemaCheck['visit']> {
  const document = isObject(value) ? value : {};
  const schemas = isObject(document['schemas']) ? document['schemas'] : {};
  // In all known documents the keys are the ids; only when a key is missing, the ids are read.
  let schemaIds: ReadonlySet<unknown> | undefined;
  const isDefined = (name: string): boolean => {
    if (Object.hasOwn(schemas, name)) return true;
    schemaIds ??= new Set(Object.values(schemas).map((schema) => isObject(schema) && schema['id']));
    return schemaIds.has(name);
  };
  const ids = new Set<string>();
  return (schemaId, object, check) => {
    // Warnings have the same place as errors; only the report differs.
    const warning = { ...check, report: warn };
    if (schemaId === 'Schema') checkSchema(object, isDefined, check, warning);
    else if (schemaId === 'Method') checkMethod(object, ids, check, warning);
    else if (schemaId === 'MediaUpload') checkMaxSize(object, check);
  };
}

function checkMaxSize({ maxSize }: JsonObject, check: SchemaCheck): void {
  if (typeof maxSize !== 'string' || uploadLimit(maxSize) !== undefined) return;
  const shown = JSON.stringify(maxSize.slice(0, 200));
  refuse(check, `has to be a number of bytes, or one with KB, MB, GB or TB; it is ${shown}`, 'maxSize');
}

function checkTop(document: JsonObject, walk: SchemaCheck, warning: SchemaCheck): void {
  const { kind, protocol, discoveryVersion, rootUrl, baseUrl } = document;
  if (kind !== 'discovery#restDescription') {
    refuse(walk, `is ${JSON.stringify(kind)} where "discovery#restDescription" is expected`, 'kind');
  }
  for (const [name, address] of [
    ['rootUrl', rootUrl],
    ['baseUrl', baseUrl],
  ] as const) {
    if (typeof address === 'string' && !/^https?:\/\/[^/]/.test(address)) {
      refuse(walk, `has to be an http or https URL; it is ${JSON.stringify(address.slice(0, 200))}`, name);
    }
  }
  if (rootUrl === undefined && baseUrl === undefined)
    refuse(warning, 'is missing: every call has to name a root URL', 'rootUrl');
  if (protocol !== undefined && protocol !== 'rest') refuse(warning, 'is not "rest"', 'protocol');
  if (discoveryVersion !== undefined && discoveryVersion !== 'v1') {
    refuse(warning, 'is not "v1"; it is read as if it were', 'discoveryVersion');
  }
}

function checkSchema(
  schema: JsonObject,
  isDefined: (name: string) => boolean,
  walk: SchemaCheck,
  warning: SchemaCheck,
): void {
  const { $ref, location, type } = schema;
  if (typeof $ref === 'string' && !isDefined($ref)) {
    refuse(walk, `refers to the schema ${$ref}, which the document does not define`, '$ref');
  }
  if (typeof location === 'string' && location !== 'query' && location !== 'path') {
    refuse(walk, `has to be "path" or "query"; it is ${JSON.stringify(location)}`, 'location');
  }
  if (typeof type === 'string' && !TYPES.has(type)) {
    refuse(warning, `is not a type of JSON Schema: ${JSON.stringify(type)}`, 'type');
  }
  const { enum: values } = schema;
  if (!Array.isArray(values)) return;
  for (const name of ['enumDescriptions', 'enumDeprecated']) {
    const list = schema[name];
    if (Array.isArray(list) && list.length !== values.length) {
      refuse(warning, `has ${list.length} entries where enum has ${values.length}`, name);
    }
  }
}

function checkMethod(method: JsonObject, ids: Set<string>, walk: SchemaCheck, warning: SchemaCheck): void {
  const { id, httpMethod, path, flatPath } = method;
  if (httpMethod === undefined) refuse(walk, 'is missing', 'httpMethod');
  else if (typeof httpMethod === 'string' && !/^[A-Z]+$/.test(httpMethod)) {
    refuse(walk, `is not an HTTP method: ${JSON.stringify(httpMethod)}`, 'httpMethod');
  }
  if (path === undefined && flatPath === undefined) refuse(walk, 'is missing', 'path');
  checkTemplate(flatPath, 'flatPath', walk);
  if (id === undefined) refuse(warning, 'is missing: the method is named after its place', 'id');
  else if (typeof id === 'string') {
    if (ids.has(id))
      refuse(warning, `is taken by another method: ${id}; this one is named after its place`, 'id');
    ids.add(id);
  }
  checkParameterNames(method, walk, warning);
}

/** Compares parameters, the variables of the path and `parameterOrder` with each other. */
function checkParameterNames(
  { path, parameters: declared, parameterOrder }: JsonObject,
  walk: SchemaCheck,
  warning: SchemaCheck,
): void {
  const parameters = isObject(declared) ? declared : {};
  const variables = checkTemplate(path, 'path', walk);
  for (const name of variables ?? []) {
    if (!Object.hasOwn(parameters, name)) {
      refuse(warning, `has a variable, ${name}, that is not a parameter`, 'path');
    }
  }
  for (const name in parameters) {
    const parameter = parameters[name];
    const belongs = isObject(parameter) && parameter['location'] === 'path';
    if (belongs && variables?.includes(name) === false) {
      refuse(warning, 'belongs in the path, which has no such variable', 'parameters', name);
    }
  }
  for (const name of Array.isArray(parameterOrder) ? parameterOrder : []) {
    if (typeof name === 'string' && !Object.hasOwn(parameters, name)) {
      refuse(warning, `names ${name}, which is not a parameter`, 'parameterOrder');
    }
  }
}

/** The variables of a template; `undefined` when it is absent or malformed; a malformed one is reported. */
function checkTemplate(template: unknown, field: string, walk: SchemaCheck): readonly string[] | undefined {
  if (typeof template !== 'string') return undefined;
  try {
    return templateVariables(template);
  } catch (error) {
    refuse(walk, messageOf(error), field);
    return undefined;
  }
}

/**
 * Runs work with documents that are not validated, because validation takes longer than the work. After an error it validates
 * them, and throws a `DiscoveryError` (`invalid-document`) with the place of the first fault.
 */
export function reportInvalidDocuments<Result>(
  documents: readonly RestDescription[],
  work: () => Result,
): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodedError) throw error;
    for (const document of documents) {
      const fault = validateDescription(document).find(
        // A missing schema does not cause errors.
        ({ severity, path }) => severity === 'error' && !path.endsWith('$ref'),
      );
      if (fault !== undefined) {
        const name = typeof document.id === 'string' ? document.id : 'the document';
        const message = `${name} is not valid: ${fault.path} ${fault.message}`;
        throw new DiscoveryError('invalid-document', message, { cause: error });
      }
    }
    throw error;
  }
}
