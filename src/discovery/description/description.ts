import { isObject } from '../../model/json-object.ts';
import { DiscoveryError } from '../errors.ts';

type Named<Value> = Readonly<Record<string, Value>>;

/**
 * A REST description document, `kind: "discovery#restDescription"` (discovery specification, "RestDescription").
 * The interfaces name what is read; other fields of documents are kept and accepted.
 */
export interface RestDescription {
  readonly kind?: string;
  readonly discoveryVersion?: string;
  /** `name:version`. */
  readonly id?: string;
  readonly name?: string;
  readonly canonicalName?: string;
  readonly version?: string;
  readonly revision?: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: { readonly x16?: string; readonly x32?: string };
  readonly documentationLink?: string;
  /** `limited_availability`, `deprecated`, … */
  readonly labels?: readonly string[];
  readonly protocol?: string;
  readonly rootUrl?: string;
  readonly endpoints?: readonly EndpointDescription[];
  /** Common parameters, which every method accepts. */
  readonly parameters?: Named<ParameterDescription>;
  readonly auth?: { readonly oauth2?: { readonly scopes?: Named<{ readonly description?: string }> } };
  readonly features?: readonly string[];
  readonly schemas?: Named<SchemaDescription>;
  /** Methods of the API itself, in no resource. */
  readonly methods?: Named<MethodDescription>;
  readonly resources?: Named<ResourceDescription>;
  /** Deprecated in favour of `rootUrl` and `servicePath`; read when those are missing. */
  readonly baseUrl?: string;
  readonly basePath?: string;
  readonly servicePath?: string;
  readonly batchPath?: string;
}

/** A host of the API for one location. */
export interface EndpointDescription {
  readonly endpointUrl?: string;
  readonly location?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
}

/** A group of methods; nests to any depth. */
export interface ResourceDescription {
  readonly methods?: Named<MethodDescription>;
  readonly deprecated?: boolean;
  readonly resources?: Named<ResourceDescription>;
}

export interface MethodDescription {
  readonly id?: string;
  /** RFC 6570 template, relative to `servicePath`. */
  readonly path?: string;
  /** The path without `{+…}`; its variables are not declared as parameters. */
  readonly flatPath?: string;
  readonly httpMethod?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: Named<ParameterDescription>;
  readonly parameterOrder?: readonly string[];
  /** `parameterName` is deprecated and not read. */
  readonly request?: SchemaDescription & { readonly parameterName?: string };
  readonly response?: SchemaDescription;
  readonly scopes?: readonly string[];
  readonly supportsMediaDownload?: boolean;
  readonly supportsMediaUpload?: boolean;
  readonly mediaUpload?: MediaUploadDescription;
  readonly supportsSubscription?: boolean;
}

export interface MediaUploadDescription {
  /** MIME media ranges. */
  readonly accept?: readonly string[];
  /** A number with or without a unit: `10GB`, `104857600`. */
  readonly maxSize?: string;
  readonly protocols?: {
    readonly simple?: UploadProtocolDescription;
    readonly resumable?: UploadProtocolDescription;
  };
}

interface UploadProtocolDescription {
  readonly multipart?: boolean;
  /** RFC 6570 template, relative to `rootUrl` (not to `servicePath`). */
  readonly path?: string;
}

/** A schema, or a part of one (discovery specification, "Schema object"). */
export interface SchemaDescription {
  readonly id?: string;
  readonly type?: string;
  readonly $ref?: string;
  readonly description?: string;
  /** Always text, for any type. */
  readonly default?: string;
  readonly deprecated?: boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: string;
  readonly maximum?: string;
  readonly enum?: readonly string[];
  /** The descriptions of the values, in the order of `enum`. */
  readonly enumDescriptions?: readonly string[];
  readonly enumDeprecated?: readonly boolean[];
  readonly properties?: Readonly<Record<string, SchemaDescription>>;
  readonly additionalProperties?: SchemaDescription;
  readonly items?: SchemaDescription;
  /** Ids of methods whose requests require this property. */
  readonly annotations?: { readonly required?: readonly string[] };
  /** The mark of bundled documents for values that may be `null`. It is not in the specification. */
  readonly nullable?: boolean;
}

export interface ParameterDescription extends SchemaDescription {
  readonly required?: boolean;
  readonly repeated?: boolean;
  /** `path` or `query`. */
  readonly location?: string;
}

/**
 * Returns a parsed JSON value as a description document. `origin` (a path or URL) is used in messages. Throws
 * `DiscoveryError` (`invalid-document`) when it is not a REST description; `validateDescription` checks the rest.
 */
export function asDescription(value: unknown, origin: string): RestDescription {
  if (!isObject(value)) {
    throw new DiscoveryError('invalid-document', `${origin}: a description document is a JSON object`);
  }
  const document: RestDescription = value;
  if (document.kind !== 'discovery#restDescription') {
    throw new DiscoveryError(
      'invalid-document',
      `${origin}: kind is ${JSON.stringify(document.kind)} where "discovery#restDescription" is expected`,
    );
  }
  return document;
}

/** Reads a document's text. Throws `DiscoveryError` (`invalid-document`) as `asDescription` does, also when it is not JSON. */
export function parseDescription(text: string, origin: string): RestDescription {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DiscoveryError('invalid-document', `${origin}: not JSON (${reason})`, { cause });
  }
  return asDescription(value, origin);
}
