import type { RestDescription, SchemaDescription } from './description.ts';

const TEXT: SchemaDescription = { type: 'string' };
const TEXTS: SchemaDescription = { type: 'array', items: TEXT };
const FLAG: SchemaDescription = { type: 'boolean' };

/** An object with texts, flags and other members. The names are separated by spaces. */
function object(
  texts: string,
  flags = '',
  others: Readonly<Record<string, SchemaDescription>> = {},
): SchemaDescription {
  const named = (names: string, schema: SchemaDescription) =>
    names.split(' ').flatMap((name) => (name === '' ? [] : [[name, schema] as const]));
  const properties = Object.fromEntries([...named(texts, TEXT), ...named(flags, FLAG)]);
  return { type: 'object', properties: { ...properties, ...others } };
}

/** A text with the comment that its type gets. */
function text(description: string): SchemaDescription {
  return { ...TEXT, description };
}

function mapOf(additionalProperties: SchemaDescription): SchemaDescription {
  return { type: 'object', additionalProperties };
}

const SCHEMA = { $ref: 'SchemaDescription' };
const METHODS = mapOf({ $ref: 'MethodDescription' });
const RESOURCES = mapOf({ $ref: 'ResourceDescription' });
const PROTOCOL = object('', 'multipart', {
  path: text('RFC 6570 template, relative to `rootUrl` (not to `servicePath`).'),
});

/**
 * The tables of the discovery specification ("Resources and their fields"), field by field. All fields are optional. Documents are checked
 * against them, and `npm run generate` makes the types of documents from them, with the comments that are here.
 */
export const SPECIFICATION: RestDescription = {
  schemas: {
    RestDescription: {
      ...object(
        'kind discoveryVersion name canonicalName version revision title description documentationLink ' +
          'protocol rootUrl servicePath batchPath basePath',
        '',
        {
          id: text('`name:version`.'),
          baseUrl: text('Deprecated in favour of `rootUrl` and `servicePath`; read when those are missing.'),
          icons: object('x16 x32'),
          labels: { ...TEXTS, description: '`limited_availability`, `deprecated`, …' },
          features: TEXTS,
          endpoints: { type: 'array', items: { $ref: 'EndpointDescription' } },
          parameters: { ...mapOf(SCHEMA), description: 'Common parameters, which every method accepts.' },
          auth: object('', '', { oauth2: object('', '', { scopes: mapOf(object('description')) }) }),
          schemas: mapOf(SCHEMA),
          methods: { ...METHODS, description: 'Methods of the API itself, in no resource.' },
          resources: RESOURCES,
        },
      ),
      description:
        'A REST description document, `kind: "discovery#restDescription"`. Other fields of documents are kept and accepted.',
    },
    EndpointDescription: {
      ...object('endpointUrl location description', 'deprecated'),
      description: 'A host of the API for one location.',
    },
    ResourceDescription: {
      ...object('', 'deprecated', { methods: METHODS, resources: RESOURCES }),
      description: 'A group of methods; nests to any depth.',
    },
    MethodDescription: {
      id: 'Method',
      ...object(
        'id httpMethod description',
        'deprecated supportsMediaDownload supportsMediaUpload supportsSubscription',
        {
          path: text('RFC 6570 template, relative to `servicePath`.'),
          flatPath: text('The path without `{+…}`; its variables are not declared as parameters.'),
          parameters: mapOf(SCHEMA),
          parameterOrder: TEXTS,
          request: SCHEMA,
          response: SCHEMA,
          scopes: TEXTS,
          mediaUpload: { $ref: 'MediaUploadDescription' },
        },
      ),
    },
    MediaUploadDescription: {
      id: 'MediaUpload',
      ...object('', '', {
        maxSize: text('A number with or without a unit: `10GB`, `104857600`.'),
        accept: { ...TEXTS, description: 'MIME media ranges.' },
        protocols: object('', '', { simple: PROTOCOL, resumable: PROTOCOL }),
      }),
    },
    SchemaDescription: {
      id: 'Schema',
      description: 'A schema, or a part of one, or a parameter.',
      ...object('id type $ref description format pattern minimum maximum', 'deprecated', {
        default: text('Always text, for any type.'),
        enum: TEXTS,
        enumDescriptions: {
          ...TEXTS,
          description: 'The descriptions of the values, in the order of `enum`.',
        },
        enumDeprecated: { type: 'array', items: FLAG },
        properties: mapOf(SCHEMA),
        additionalProperties: SCHEMA,
        items: SCHEMA,
        annotations: object('', '', {
          required: { ...TEXTS, description: 'Ids of methods whose requests require this property.' },
        }),
        nullable: {
          ...FLAG,
          description:
            'The mark of bundled documents for values that may be `null`. It is not in the specification.',
        },
        location: text('`path` or `query`, of a parameter.'),
        required: FLAG,
        repeated: FLAG,
      }),
    },
  },
};
