import type { ParameterDescription, RestDescription } from '../description/description.ts';
import type { ApiMethod } from '../description/methods.ts';
import { DiscoveryError } from '../errors.ts';
import { type ParameterValue, parameterTexts } from './parameter-values.ts';
import { encodeUnreserved, expandUriTemplate, templateVariables } from './uri-template.ts';

export type Params = Readonly<Record<string, ParameterValue>>;

export interface ParameterOptions {
  /** Expands `flatPath`; its variables are then the required parameters of the path. */
  readonly flatPath: boolean;
  /** Leaves bounds and formats to the service. */
  readonly lenient: boolean;
  /** Expanded in place of the path of the method (media upload). */
  readonly template?: string;
}

/** Segments that URL parsers remove together with the preceding one, also when they are percent-encoded. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** The path and the query for the parameters of a call. */
export interface PlacedParameters {
  readonly path: string;
  /** Without `?`; may be empty. */
  readonly query: string;
}

/** A variable of the path that the document does not declare (`flatPath` never does). */
const UNDECLARED: ParameterDescription = { type: 'string', location: 'path', required: true };

/**
 * Places the parameters of a call in the path and the query, and checks each of them. A required parameter without a value
 * has its default. Throws `DiscoveryError` (`invalid-parameter`).
 */
export function placeParameters(
  document: RestDescription,
  method: ApiMethod,
  params: Params,
  options: ParameterOptions,
): PlacedParameters {
  const template = templateOf(method, options);
  const variables = new Set(templateVariables(template));
  const path = new Map<string, string | readonly string[]>();
  const query: string[] = [];
  const given = withDefaults(method, params, variables, options);
  for (const [name, value] of given) {
    if (options.lenient && isPlaceless(method.parameters.get(name), name, variables)) continue;
    const description = describe(document, method, name, variables, options);
    const texts = parameterTexts({ methodId: method.id, name, lenient: options.lenient }, description, value);
    if (variables.has(name)) path.set(name, asPathValue(method, name, description, texts));
    else for (const text of texts) query.push(`${encodeQuery(name)}=${encodeQuery(text)}`);
  }
  // Google's services support several formats, and clients name one; documents with `alt` describe such a service.
  const hasFormats = document.parameters !== undefined && Object.hasOwn(document.parameters, 'alt');
  if (hasFormats && method.description.response !== undefined && !given.has('alt')) query.push('alt=json');
  const expanded = expandUriTemplate(template, (name) => path.get(name));
  if (!options.lenient && expanded.split('/').some((segment) => DOTS.test(segment))) {
    throw new DiscoveryError(
      'invalid-parameter',
      `${method.id}: a parameter of the path may not be . or ..: the call would reach another path (${expanded})`,
    );
  }
  return { path: expanded, query: query.join('&') };
}

/** The names of the parameters in the order of a signature: `parameterOrder`, then the other required ones. */
export function signatureOf(method: ApiMethod): readonly string[] {
  const required = [...method.parameters].filter(([, { required }]) => required === true);
  return [...new Set([...method.parameterOrder, ...required.map(([name]) => name)])];
}

/**
 * Values in the order of `signatureOf` as parameters by name. Throws `DiscoveryError` (`invalid-parameter`) when there
 * are more values than that.
 */
export function paramsInOrder(
  method: ApiMethod,
  values: readonly string[],
): Readonly<Record<string, string>> {
  const names = signatureOf(method);
  if (values.length > names.length) {
    const takes = names.length === 0 ? 'none' : names.join(', ');
    throw new DiscoveryError(
      'invalid-parameter',
      `${method.id} takes ${names.length} values in order (${takes}), not ${values.length}`,
    );
  }
  return Object.fromEntries(values.map((value, index) => [names[index] ?? '', value]));
}

function templateOf(method: ApiMethod, { flatPath, template }: ParameterOptions): string {
  if (template !== undefined) return template;
  if (!flatPath) return method.path;
  if (method.flatPath !== undefined) return method.flatPath;
  throw new DiscoveryError('invalid-parameter', `${method.id} has no flatPath`);
}

/** The given values and the defaults of required parameters. Throws for a required parameter without either. */
function withDefaults(
  method: ApiMethod,
  params: Params,
  variables: ReadonlySet<string>,
  { flatPath }: ParameterOptions,
): ReadonlyMap<string, Exclude<ParameterValue, undefined>> {
  const given = new Map<string, Exclude<ParameterValue, undefined>>();
  for (const [name, value] of Object.entries(params)) if (value !== undefined) given.set(name, value);
  for (const [name, description] of method.parameters) {
    if (description.required !== true || given.has(name)) continue;
    // `flatPath` has other variables than the path, and some documents declare a parameter that no path contains.
    if (isPlaceless(description, name, variables)) continue;
    if (description.default === undefined) throw missing(method, name);
    given.set(name, description.repeated === true ? [description.default] : description.default);
  }
  if (flatPath) {
    for (const name of variables) if (!given.has(name)) throw missing(method, name);
  }
  return given;
}

/** Whether a parameter belongs in the path, and the path has no variable for it. */
function isPlaceless(
  description: ParameterDescription | undefined,
  name: string,
  variables: ReadonlySet<string>,
): boolean {
  return description?.location === 'path' && !variables.has(name);
}

function missing(method: ApiMethod, name: string): DiscoveryError {
  return new DiscoveryError('invalid-parameter', `${method.id}: parameter ${name} is required`);
}

function describe(
  document: RestDescription,
  method: ApiMethod,
  name: string,
  variables: ReadonlySet<string>,
  { flatPath }: ParameterOptions,
): ParameterDescription {
  const description = method.parameters.get(name);
  if (isPlaceless(description, name, variables)) {
    const where = flatPath ? 'flatPath' : 'path';
    const has = variables.size === 0 ? 'it has no variables' : `it has ${[...variables].join(', ')}`;
    throw new DiscoveryError(
      'invalid-parameter',
      `${method.id}: parameter ${name} has no place in the ${where}: ${has}`,
    );
  }
  if (description !== undefined) return description;
  if (variables.has(name)) return UNDECLARED;
  const common = document.parameters ?? {};
  if (Object.hasOwn(common, name)) return formatsOf(method, name, common[name] ?? {});
  throw new DiscoveryError('invalid-parameter', `${method.id} has no parameter ${name}`);
}

/** Methods with media downloads accept `alt=media`, which many documents omit from the values of `alt`. */
function formatsOf(
  { description: { supportsMediaDownload } }: ApiMethod,
  name: string,
  common: ParameterDescription,
): ParameterDescription {
  if (name !== 'alt' || supportsMediaDownload !== true || common.enum === undefined) return common;
  return { ...common, enum: [...common.enum, 'media'] };
}

function asPathValue(
  method: ApiMethod,
  name: string,
  description: ParameterDescription,
  texts: readonly string[],
): string | readonly string[] {
  // An empty segment would address another resource: the collection.
  if (texts.length === 0 || texts.some((text) => text === '')) {
    throw new DiscoveryError('invalid-parameter', `${method.id}: parameter ${name} may not be empty`);
  }
  return description.repeated === true ? texts : (texts[0] ?? '');
}

/** Form encoding: all services read it, and a space is shorter. */
function encodeQuery(text: string): string {
  return encodeUnreserved(text).replaceAll('%20', '+');
}
