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

function mapOf(additionalProperties: SchemaDescription): SchemaDescription {
  return { type: 'object', additionalProperties };
}

const SCHEMA = { $ref: 'Schema' };
const METHODS = mapOf({ $ref: 'Method' });
const RESOURCES = mapOf({ $ref: 'Resource' });
const PROTOCOL = object('path', 'multipart');

/** The tables of the discovery specification ("Resources and their fields"), field by field. All fields are optional. */
export const SPECIFICATION: RestDescription = {
  schemas: {
    RestDescription: object(
      'kind discoveryVersion id name canonicalName version revision title description documentationLink ' +
        'protocol rootUrl servicePath batchPath baseUrl basePath',
      '',
      {
        icons: object('x16 x32'),
        labels: TEXTS,
        features: TEXTS,
        endpoints: { type: 'array', items: object('endpointUrl location description', 'deprecated') },
        parameters: mapOf(SCHEMA),
        auth: object('', '', { oauth2: object('', '', { scopes: mapOf(object('description')) }) }),
        schemas: mapOf(SCHEMA),
        methods: METHODS,
        resources: RESOURCES,
      },
    ),
    Resource: object('', 'deprecated', { methods: METHODS, resources: RESOURCES }),
    Method: {
      id: 'Method',
      ...object(
        'id path flatPath httpMethod description',
        'deprecated supportsMediaDownload supportsMediaUpload supportsSubscription',
        {
          parameters: mapOf(SCHEMA),
          parameterOrder: TEXTS,
          request: SCHEMA,
          response: SCHEMA,
          scopes: TEXTS,
          mediaUpload: { $ref: 'MediaUpload' },
        },
      ),
    },
    MediaUpload: {
      id: 'MediaUpload',
      ...object('maxSize', '', {
        accept: TEXTS,
        protocols: object('', '', { simple: PROTOCOL, resumable: PROTOCOL }),
      }),
    },
    Schema: {
      id: 'Schema',
      ...object(
        'id type $ref description default format pattern minimum maximum location',
        'required deprecated repeated',
        {
          enum: TEXTS,
          enumDescriptions: TEXTS,
          enumDeprecated: { type: 'array', items: FLAG },
          annotations: object('', '', { required: TEXTS }),
          properties: mapOf(SCHEMA),
          additionalProperties: SCHEMA,
          items: SCHEMA,
        },
      ),
    },
  },
};
