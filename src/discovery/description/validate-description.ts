import { messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import { templateVariables } from '../request/uri-template.ts';
import { descriptionShape } from './description-shape.ts';
import { checkShape, type Fields, refuse, type Shape, type ShapeWalk } from './shape.ts';

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
  const check = createCheck(value, add('warning'));
  const walk: ShapeWalk = { place: [], report: add('error'), maxDepth: MAX_DEPTH };
  checkShape(check.shape, value, walk);
  if (isObject(value)) checkTop(value, walk, check.warning);
  return problems;
}

interface Check {
  readonly shape: Shape;
  readonly warning: ShapeWalk;
}

function createCheck(value: unknown, warn: ShapeWalk['report']): Check {
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
  // Warnings have the same place as errors; only the report differs.
  const warnAt = (walk: ShapeWalk): ShapeWalk => ({ ...walk, report: warn });
  const shape = descriptionShape({
    schema: (schema, walk) => checkSchema(schema, isDefined, walk, warnAt),
    method: (method, walk) => checkMethod(method, ids, walk, warnAt),
  });
  return { shape, warning: { place: [], report: warn, maxDepth: MAX_DEPTH } };
}

function checkTop(document: Fields, walk: ShapeWalk, warning: ShapeWalk): void {
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
  schema: Fields,
  isDefined: (name: string) => boolean,
  walk: ShapeWalk,
  warnAt: (walk: ShapeWalk) => ShapeWalk,
): void {
  const { $ref, location, type } = schema;
  if (typeof $ref === 'string' && !isDefined($ref)) {
    refuse(walk, `refers to the schema ${$ref}, which the document does not define`, '$ref');
  }
  if (typeof location === 'string' && location !== 'query' && location !== 'path') {
    refuse(walk, `has to be "path" or "query"; it is ${JSON.stringify(location)}`, 'location');
  }
  if (typeof type === 'string' && !TYPES.has(type)) {
    refuse(warnAt(walk), `is not a type of JSON Schema: ${JSON.stringify(type)}`, 'type');
  }
  const { enum: values } = schema;
  if (!Array.isArray(values)) return;
  for (const name of ['enumDescriptions', 'enumDeprecated']) {
    const list = schema[name];
    if (Array.isArray(list) && list.length !== values.length) {
      refuse(warnAt(walk), `has ${list.length} entries where enum has ${values.length}`, name);
    }
  }
}

function checkMethod(
  method: Fields,
  ids: Set<string>,
  walk: ShapeWalk,
  warnAt: (walk: ShapeWalk) => ShapeWalk,
): void {
  const { id, httpMethod, path, flatPath } = method;
  if (httpMethod === undefined) refuse(walk, 'is missing', 'httpMethod');
  else if (typeof httpMethod === 'string' && !/^[A-Z]+$/.test(httpMethod)) {
    refuse(walk, `is not an HTTP method: ${JSON.stringify(httpMethod)}`, 'httpMethod');
  }
  if (path === undefined && flatPath === undefined) refuse(walk, 'is missing', 'path');
  checkTemplate(flatPath, 'flatPath', walk);
  if (id === undefined) refuse(warnAt(walk), 'is missing: the method is named after its place', 'id');
  else if (typeof id === 'string') {
    if (ids.has(id))
      refuse(warnAt(walk), `is taken by another method: ${id}; this one is named after its place`, 'id');
    ids.add(id);
  }
  checkParameterNames(method, walk, warnAt(walk));
}

/** Compares parameters, the variables of the path and `parameterOrder` with each other. */
function checkParameterNames(
  { path, parameters: declared, parameterOrder }: Fields,
  walk: ShapeWalk,
  warning: ShapeWalk,
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
function checkTemplate(template: unknown, field: string, walk: ShapeWalk): readonly string[] | undefined {
  if (typeof template !== 'string') return undefined;
  try {
    return templateVariables(template);
  } catch (error) {
    refuse(walk, messageOf(error), field);
    return undefined;
  }
}
