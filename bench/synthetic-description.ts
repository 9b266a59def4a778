/**
 * A description document of about the given number of bytes, like those of large services: nested resources, methods with
 * a dozen parameters, schemas with references, descriptions everywhere.
 */
export function syntheticDescription(bytes: number): string {
  // The approximate size of a resource with its schemas.
  const resources = Math.max(1, Math.round(bytes / 12_900));
  const schemas: Record<string, unknown> = {};
  const tree: Record<string, unknown> = {};
  for (let index = 0; index < resources; index += 1) {
    for (let part = 0; part < 6; part += 1) {
      schemas[`Thing${index}Part${part}`] = schemaOf(`Thing${index}Part${part}`, index, part);
    }
    tree[`things${index}`] = { methods: {}, resources: { inner: { methods: methodsOf(index) } } };
  }
  return JSON.stringify(
    {
      kind: 'discovery#restDescription',
      discoveryVersion: 'v1',
      id: 'synthetic:v1',
      name: 'synthetic',
      version: 'v1',
      rootUrl: 'https://synthetic.example/',
      servicePath: '',
      parameters: { alt: { type: 'string', location: 'query', enum: ['json', 'media'], default: 'json' } },
      auth: {
        oauth2: { scopes: { 'https://synthetic.example/auth/all': { description: 'See and edit.' } } },
      },
      schemas,
      resources: tree,
    },
    null,
    2,
  );
}

function schemaOf(id: string, index: number, part: number): object {
  const name = (property: number) => `property${property}`;
  return {
    id,
    type: 'object',
    description: `Part ${part} of thing ${index}, and what everybody has to know before using it.`,
    properties: Object.fromEntries(
      Array.from({ length: 6 }, (_, property) => [
        name(property),
        property === 0
          ? { $ref: `Thing${index}Part${(part + 1) % 6}`, description: 'The next part.' }
          : property === 1
            ? {
                type: 'string',
                description: 'State.',
                enum: ['ON', 'OFF'],
                enumDescriptions: ['It is on.', 'It is off.'],
              }
            : {
                type: 'string',
                format: 'int64',
                description: `What property ${property} is for.`,
                readOnly: true,
              },
      ]),
    ),
  };
}

function methodsOf(index: number): object {
  return Object.fromEntries(
    ['get', 'list', 'create', 'delete'].map((verb) => [
      verb,
      {
        id: `synthetic.things${index}.inner.${verb}`,
        path: 'v1/{+name}',
        flatPath: `v1/things/{thingsId}/inner/{innerId}:${verb}`,
        httpMethod: verb === 'create' ? 'POST' : 'GET',
        description: `Does what ${verb} does to a thing, and gives back what there is to know about it.`,
        parameters: {
          name: {
            type: 'string',
            location: 'path',
            required: true,
            pattern: '^things/[^/]+$',
            description: 'Its name.',
          },
          pageSize: {
            type: 'integer',
            format: 'int32',
            location: 'query',
            description: 'Entries on a page.',
          },
          pageToken: { type: 'string', location: 'query', description: 'Where to go on.' },
        },
        parameterOrder: ['name'],
        ...(verb === 'create' ? { request: { $ref: `Thing${index}Part0` } } : {}),
        response: { $ref: `Thing${index}Part1` },
        scopes: ['https://synthetic.example/auth/all'],
      },
    ]),
  );
}
