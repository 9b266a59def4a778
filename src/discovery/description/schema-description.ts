/** A schema, or a part of one (discovery specification, "Schema object"). */
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
  /** By the position in `enum`. */
  readonly enumDescriptions?: readonly string[];
  readonly enumDeprecated?: readonly boolean[];
  readonly properties?: Readonly<Record<string, SchemaDescription>>;
  readonly additionalProperties?: SchemaDescription;
  readonly items?: SchemaDescription;
  /** Ids of methods whose requests have to have this property. */
  readonly annotations?: { readonly required?: readonly string[] };
  /** Not in the specification: our own documents mark values that may be `null`. */
  readonly nullable?: boolean;
}

export interface ParameterDescription extends SchemaDescription {
  readonly required?: boolean;
  readonly repeated?: boolean;
  /** `path` or `query`. */
  readonly location?: string;
}
