import { serviceUrl } from '../request/base-url.ts';
import { signatureOf } from '../request/request-parameters.ts';
import type {
  EndpointDescription,
  MediaUploadDescription,
  ParameterDescription,
  RestDescription,
  SchemaDescription,
} from './description.ts';
import { type ApiMethod, methodsOf } from './methods.ts';
import { reportInvalidDocuments } from './validate-description.ts';

/** A document for a person: resolved and in reading order. */
export interface ApiSummary {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly revision: string | null;
  readonly documentationLink: string | null;
  /** Root URL and service path; null when the document names none. */
  readonly baseUrl: string | null;
  readonly labels: readonly string[];
  readonly features: readonly string[];
  readonly endpoints: readonly EndpointDescription[];
  readonly scopes: readonly ScopeSummary[];
  /** Common to all methods. */
  readonly parameters: readonly ParameterSummary[];
  readonly schemas: readonly string[];
  readonly methods: readonly MethodSummary[];
}

interface ScopeSummary {
  readonly scope: string;
  readonly description: string;
}

export interface MethodSummary {
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly flatPath: string | null;
  readonly description: string;
  readonly deprecated: boolean;
  /** Required ones first, in the order of `parameterOrder`. */
  readonly parameters: readonly ParameterSummary[];
  /** Schemas of the body and of the answer. */
  readonly request: string | null;
  readonly response: string | null;
  /** The scopes, of which one is sufficient; empty when none is needed. */
  readonly scopes: readonly ScopeSummary[];
  readonly mediaUpload: MediaUploadDescription | null;
  readonly supportsMediaDownload: boolean;
  readonly supportsSubscription: boolean;
}

interface ParameterSummary extends Omit<ParameterDescription, '$ref' | 'enum'> {
  readonly name: string;
  readonly required: boolean;
  readonly repeated: boolean;
  readonly enum: readonly EnumValue[];
}

export interface EnumValue {
  readonly value: string;
  readonly description: string;
  readonly deprecated: boolean;
}

/** The summary of a document. Throws `DiscoveryError` (`invalid-document`). */
export function summarizeApi(document: RestDescription): ApiSummary {
  return reportInvalidDocuments([document], () => summarize(document));
}

function summarize(document: RestDescription): ApiSummary {
  const { name = '', version = '', title = '', description = '', labels = [], features = [] } = document;
  const hasAddress = document.rootUrl !== undefined || document.baseUrl !== undefined;
  return {
    id: document.id ?? `${name}:${version}`,
    title,
    description,
    revision: document.revision ?? null,
    documentationLink: document.documentationLink ?? null,
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
export function enumValuesOf(schema: SchemaDescription): readonly EnumValue[] {
  const { enum: values = [], enumDescriptions = [], enumDeprecated = [] } = schema;
  return values.map((value, index) => ({
    value,
    description: enumDescriptions[index] ?? '',
    deprecated: enumDeprecated[index] === true,
  }));
}

function summarizeMethod(document: RestDescription, method: ApiMethod): MethodSummary {
  const names = new Set([...signatureOf(method), ...method.parameters.keys()]);
  return {
    id: method.id,
    httpMethod: method.httpMethod,
    path: method.path,
    flatPath: method.flatPath ?? null,
    description: method.description.description ?? '',
    deprecated: method.deprecated,
    parameters: [...names].flatMap((name) => {
      const parameter = method.parameters.get(name);
      return parameter === undefined ? [] : [parameterOf(name, parameter)];
    }),
    request: method.request ?? null,
    response: method.response ?? null,
    scopes: (method.description.scopes ?? []).map((scope) => scopeOf(document, scope)),
    mediaUpload: method.description.mediaUpload ?? null,
    supportsMediaDownload: method.description.supportsMediaDownload === true,
    supportsSubscription: method.description.supportsSubscription === true,
  };
}

function scopeOf(document: RestDescription, scope: string): ScopeSummary {
  const scopes = document.auth?.oauth2?.scopes ?? {};
  return { scope, description: (Object.hasOwn(scopes, scope) && scopes[scope]?.description) || '' };
}

function parameterOf(name: string, description: ParameterDescription): ParameterSummary {
  return {
    ...description,
    name,
    required: description.required === true,
    repeated: description.repeated === true,
    enum: enumValuesOf(description),
  };
}
