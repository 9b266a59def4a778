import { DiscoveryError } from './errors.ts';

/**
 * A REST description document, `kind: "discovery#restDescription"` (discovery specification, "RestDescription").
 * Only what is read is named; documents carry more, and what is not named is kept and never refused.
 */
export interface RestDescription {
  readonly kind?: string;
  readonly id?: string;
  readonly name?: string;
  readonly version?: string;
  readonly revision?: string;
  readonly title?: string;
  readonly description?: string;
  readonly rootUrl?: string;
  readonly servicePath?: string;
  /** Deprecated in favour of `rootUrl` and `servicePath`; read when those are missing. */
  readonly baseUrl?: string;
  readonly basePath?: string;
  /** Common parameters: every method takes them. */
  readonly parameters?: Readonly<Record<string, ParameterDescription>>;
  readonly schemas?: Readonly<Record<string, SchemaDescription>>;
  readonly methods?: Readonly<Record<string, MethodDescription>>;
  readonly resources?: Readonly<Record<string, ResourceDescription>>;
}

/** A group of methods; nests to any depth. */
export interface ResourceDescription {
  readonly methods?: Readonly<Record<string, MethodDescription>>;
  readonly resources?: Readonly<Record<string, ResourceDescription>>;
}

export interface MethodDescription {
  readonly id?: string;
  /** RFC 6570 template, relative to `servicePath`. */
  readonly path?: string;
  readonly flatPath?: string;
  readonly httpMethod?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: Readonly<Record<string, ParameterDescription>>;
  readonly parameterOrder?: readonly string[];
  readonly request?: { readonly $ref?: string };
  readonly response?: { readonly $ref?: string };
  readonly scopes?: readonly string[];
}

/** A schema, or a part of one ("Schema object"). */
export interface SchemaDescription {
  readonly id?: string;
  readonly type?: string;
  readonly $ref?: string;
  readonly description?: string;
  /** Always text, whatever the type. */
  readonly default?: string;
  readonly deprecated?: boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: string;
  readonly maximum?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaDescription>>;
  readonly additionalProperties?: SchemaDescription;
  readonly items?: SchemaDescription;
  readonly annotations?: { readonly required?: readonly string[] };
  /** Not in the specification: our own documents mark values that may be `null`. */
  readonly nullable?: boolean;
}

export interface ParameterDescription extends SchemaDescription {
  readonly required?: boolean;
  readonly repeated?: boolean;
  readonly location?: string;
}

/**
 * Takes a parsed JSON value as a description document. `origin` (a path or URL) is for messages. Throws
 * `DiscoveryError` (`invalid-document`) when it is no REST description at all.
 */
export function asDescription(value: unknown, origin: string): RestDescription {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
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
