import { serviceUrl } from '../request/base-url.ts';
import { signatureOf } from '../request/request-parameters.ts';
import type { ParameterDescription, RestDescription, SchemaDescription } from './description.ts';
import { type ApiMethod, methodsOf } from './methods.ts';
import { reportInvalidDocuments } from './validate-description.ts';

/** A document for a person: resolved and in reading order. What it does not state is null. Throws `DiscoveryError` (`invalid-document`). */
export function summarizeApi(document: RestDescription) {
  return reportInvalidDocuments([document], () => summarize(document));
}

function summarize(document: RestDescription) {
  const { name = '', version = '', title = '', description = '', labels = [], features = [] } = document;
  const hasAddress = document.rootUrl !== undefined || document.baseUrl !== undefined;
  return {
    id: document.id ?? `${name}:${version}`,
    title,
    description,
    revision: document.revision ?? null,
    documentationLink: document.documentationLink ?? null,
    // Root URL and service path.
    baseUrl: hasAddress ? serviceUrl(document) : null,
    labels,
    features,
    endpoints: document.endpoints ?? [],
    scopes: Object.keys(document.auth?.oauth2?.scopes ?? {}).map((scope) => scopeOf(document, scope)),
    parameters: Object.entries(document.parameters ?? {}).map(([key, one]) => parameterOf(key, one)),
    schemas: Object.keys(document.schemas ?? {}),
    methods: methodsOf(document).map((method) => summarizeMethod(document, method)),
  };
}

/** The values of an enumeration with their descriptions; empty without an enumeration. */
export function enumValuesOf(schema: SchemaDescription) {
  const { enum: values = [], enumDescriptions = [], enumDeprecated = [] } = schema;
  return values.map((value, index) => ({
    value,
    description: enumDescriptions[index] ?? '',
    deprecated: enumDeprecated[index] === true,
  }));
}

function summarizeMethod(document: RestDescription, method: ApiMethod) {
  const names = new Set([...signatureOf(method), ...method.parameters.keys()]);
  return {
    id: method.id,
    httpMethod: method.httpMethod,
    path: method.path,
    flatPath: method.flatPath ?? null,
    description: method.description.description ?? '',
    deprecated: method.deprecated,
    // Required ones first, in the order of `parameterOrder`.
    parameters: [...names].flatMap((name) => {
      const parameter = method.parameters.get(name);
      return parameter === undefined ? [] : [parameterOf(name, parameter)];
    }),
    request: method.request ?? null,
    response: method.response ?? null,
    // One of them is sufficient.
    scopes: (method.description.scopes ?? []).map((scope) => scopeOf(document, scope)),
    mediaUpload: method.description.mediaUpload ?? null,
    supportsMediaDownload: method.description.supportsMediaDownload === true,
    supportsSubscription: method.description.supportsSubscription === true,
  };
}

function scopeOf(document: RestDescription, scope: string) {
  const scopes = document.auth?.oauth2?.scopes ?? {};
  return { scope, description: (Object.hasOwn(scopes, scope) && scopes[scope]?.description) || '' };
}

function parameterOf(name: string, description: ParameterDescription) {
  return {
    ...description,
    name,
    required: description.required === true,
    repeated: description.repeated === true,
    enum: enumValuesOf(description),
  };
}
