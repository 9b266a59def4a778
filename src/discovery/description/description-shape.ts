import { uploadLimit } from '../upload/media-range.ts';
import { type Fields, refuse, type Shape, type ShapeWalk } from './shape.ts';

const TEXTS: Shape = { kind: 'list', of: 'text' };
const FLAGS: Shape = { kind: 'list', of: 'flag' };

/** Checks beyond types. */
interface DescriptionVisitors {
  readonly schema: (schema: Fields, walk: ShapeWalk) => void;
  readonly method: (method: Fields, walk: ShapeWalk) => void;
}

/** The tables of the discovery specification ("Resources and their fields"), field by field. */
export function descriptionShape(visitors: DescriptionVisitors): Shape {
  const schema = schemaShape(visitors);
  const schemas: Shape = { kind: 'map', of: schema };
  const method = methodShape(visitors, schema, schemas);
  const methods: Shape = { kind: 'map', of: method };
  return object(
    texts('kind', 'discoveryVersion', 'id', 'name', 'canonicalName', 'version', 'revision', 'title'),
    texts('description', 'documentationLink', 'protocol', 'rootUrl', 'servicePath', 'batchPath'),
    texts('baseUrl', 'basePath'),
    [
      ['icons', object(texts('x16', 'x32'))],
      ['labels', TEXTS],
      ['features', TEXTS],
      [
        'endpoints',
        { kind: 'list', of: object(texts('endpointUrl', 'location', 'description'), flags('deprecated')) },
      ],
      ['parameters', schemas],
      ['auth', authShape()],
      ['schemas', schemas],
      ['methods', methods],
      ['resources', { kind: 'map', of: resourceShape(methods) }],
    ],
  );
}

function schemaShape({ schema: visit }: DescriptionVisitors): Shape {
  const fields = new Map<string, Shape>([
    ...texts('id', 'type', '$ref', 'description', 'default', 'format', 'pattern', 'minimum', 'maximum'),
    ...texts('location'),
    ...flags('required', 'deprecated', 'repeated'),
    ['enum', TEXTS],
    ['enumDescriptions', TEXTS],
    ['enumDeprecated', FLAGS],
    ['annotations', object([['required', TEXTS]])],
  ]);
  const schema: Shape = { kind: 'object', fields, visit };
  fields.set('properties', { kind: 'map', of: schema });
  fields.set('additionalProperties', schema).set('items', schema);
  return schema;
}

function methodShape({ method: visit }: DescriptionVisitors, schema: Shape, schemas: Shape): Shape {
  const fields = new Map<string, Shape>([
    ...texts('id', 'path', 'flatPath', 'httpMethod', 'description'),
    ...flags('deprecated', 'supportsMediaDownload', 'supportsMediaUpload', 'supportsSubscription'),
    ['parameters', schemas],
    ['parameterOrder', TEXTS],
    ['request', schema],
    ['response', schema],
    ['scopes', TEXTS],
    ['mediaUpload', mediaUploadShape()],
  ]);
  return { kind: 'object', fields, visit };
}

function mediaUploadShape(): Shape {
  const protocol = object(texts('path'), flags('multipart'));
  const protocols: readonly Field[] = [
    ['simple', protocol],
    ['resumable', protocol],
  ];
  const fields: readonly Field[] = [...texts('maxSize'), ['accept', TEXTS], ['protocols', object(protocols)]];
  return { kind: 'object', fields: new Map(fields), visit: checkMaxSize };
}

function checkMaxSize({ maxSize }: Fields, walk: ShapeWalk): void {
  if (typeof maxSize !== 'string' || uploadLimit(maxSize) !== undefined) return;
  const shown = JSON.stringify(maxSize.slice(0, 200));
  refuse(walk, `has to be a number of bytes, or one with KB, MB, GB or TB; it is ${shown}`, 'maxSize');
}

function resourceShape(methods: Shape): Shape {
  const fields = new Map<string, Shape>([...flags('deprecated'), ['methods', methods]]);
  const resource: Shape = { kind: 'object', fields };
  fields.set('resources', { kind: 'map', of: resource });
  return resource;
}

function authShape(): Shape {
  const scope = object(texts('description'));
  return object([['oauth2', object([['scopes', { kind: 'map', of: scope }]])]]);
}

type Field = readonly [name: string, shape: Shape];

function object(...groups: readonly (readonly Field[])[]): Shape {
  return { kind: 'object', fields: new Map(groups.flat()) };
}

function texts(...names: readonly string[]): readonly Field[] {
  return names.map((name) => [name, 'text']);
}

function flags(...names: readonly string[]): readonly Field[] {
  return names.map((name) => [name, 'flag']);
}
