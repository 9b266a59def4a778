import { readFile } from 'node:fs/promises';
import type { ParameterDescription, SchemaDescription } from '../src/discovery/description/description.ts';
import { asDescription, type RestDescription } from '../src/discovery/description/description.ts';
import { type ApiMethod, methodsOf } from '../src/discovery/description/methods.ts';
import { SPECIFICATION } from '../src/discovery/description/specification.ts';

interface Target {
  readonly document: string;
  readonly file: string;
  /** Name of the interface that maps method ids to parameters, body and response. */
  readonly methods: string;
  /** Whether answers are written by this program: JSON leaves out what is `undefined`. */
  readonly answers?: boolean;
}

const TARGETS: readonly Target[] = [
  {
    document: 'apis/insights.v3alpha.json',
    file: 'src/model/api/insights-api.generated.ts',
    methods: 'InsightsMethods',
  },
  {
    document: 'apis/webhooks.v1.json',
    file: 'src/notify/platform/api.generated.ts',
    methods: 'WebhookMethods',
  },
  {
    document: 'apis/lockhound.v1.json',
    file: 'src/model/api/lockhound-api.generated.ts',
    methods: 'LockhoundMethods',
    answers: true,
  },
];

const PAGE_METHODS = 'web/page/api/methods.generated.ts';

/** The TypeScript types of the description documents: schemas, and each method's parameters, body and response. */
export async function generateTypes(): Promise<readonly { path: string; content: string }[]> {
  const types = TARGETS.map(async (target) => ({
    path: target.file,
    content: typesOf(await readDocument(target.document), target),
  }));
  const own = 'apis/lockhound.v1.json';
  const methods = { path: PAGE_METHODS, content: methodTable(await readDocument(own), own) };
  const ofDocuments = {
    path: 'src/discovery/description/description.generated.ts',
    content: [
      generatedFrom('src/discovery/description/specification.ts'),
      ...interfacesOf(SPECIFICATION),
    ].join('\n'),
  };
  return [...(await Promise.all(types)), methods, ofDocuments];
}

async function readDocument(path: string): Promise<RestDescription> {
  const json = await readFile(new URL(`../${path}`, import.meta.url), 'utf8');
  return asDescription(JSON.parse(json), path);
}

/** How the live page calls each method. */
function methodTable(document: RestDescription, source: string): string {
  const lines = methodsOf(document).map(({ id, httpMethod, path, description }) => {
    const role = description.scopes?.[0];
    const parts = [`verb: '${httpMethod}'`, `path: '${path}'`];
    if (role !== undefined) parts.push(`role: '${role}'`);
    return `  '${id}': { ${parts.join(', ')} },\n`;
  });
  return [
    `${generatedFrom(source)}\n`,
    '/** Verb, path and role of each method, by its id. */\n',
    `export const METHODS = {\n${lines.join('')}} as const;\n\n`,
    '/** The filters of lists: the parameters of the methods that are in the address of a view. */\n',
    `export const FILTERS = {\n${FILTERED.map((id) => filtersIn(document, id)).join('')}} as const;\n`,
  ].join('');
}

/** Methods whose parameters are filters of a view. */
const FILTERED = [
  'lockhound.findings.list',
  'lockhound.findings.issues',
  'lockhound.targets.list',
  'lockhound.targets.inventory',
  'lockhound.packages.where',
  'lockhound.deliveries.list',
];
/** The part of a list that a view loads. */
const PARTS = new Set(['skip', 'limit', 'pageSize', 'pageToken']);

function filtersIn(document: RestDescription, id: string): string {
  const method = methodsOf(document).find((one) => one.id === id);
  if (method === undefined) throw new RangeError(`no method is named ${id}`);
  const filters = [...method.parameters].flatMap(([name, { type, repeated, enum: values, pattern }]) => {
    if (PARTS.has(name)) return [];
    const kind = type === 'boolean' ? 'flag' : repeated === true ? 'list' : 'text';
    return `    ${name}: ${JSON.stringify({ kind, values, pattern })},\n`;
  });
  return `  '${id}': {\n${filters.join('')}  },\n`;
}

function generatedFrom(source: string): string {
  return `// Generated from ${source} by \`npm run generate\`. Do not edit.\n`;
}

/** The types of the schemas of a document. */
function interfacesOf(document: RestDescription): readonly string[] {
  return Object.entries(document.schemas ?? {}).map(([name, schema]) => {
    const body = schema.properties === undefined ? typeOf(schema, '') : undefined;
    const comment = docstring(schema.description, '');
    return body === undefined
      ? `${comment}export interface ${name} ${objectType(schema, '')}\n`
      : `${comment}export type ${name} = ${body};\n`;
  });
}

function typesOf(document: RestDescription, target: Target): string {
  const schemas = interfacesOf(document);
  const methods = methodsOf(document).map(methodType).join('');
  const written = target.answers === true ? schemas.map(withUndefined) : schemas;
  return [
    generatedFrom(target.document),
    ...written,
    `/** Parameters, request and answer of each method, by its id. */\nexport interface ${target.methods} {\n${methods}}\n`,
  ].join('\n');
}

/** The lines of an interface whose optional properties may be `undefined`. */
function withUndefined(text: string): string {
  return text
    .split('\n')
    .map((line) => (/^ +readonly [\w']+\?: /.test(line) ? line.replace(/;$/, ' | undefined;') : line))
    .join('\n');
}

function methodType(method: ApiMethod): string {
  const params = [...method.parameters].map(([name, parameter]) => {
    const [mark, absent] = parameter.required === true ? ['', ''] : ['?', ' | undefined'];
    return `      readonly ${quoteName(name)}${mark}: ${parameterType(parameter)}${absent};\n`;
  });
  const shape = params.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${params.join('')}    }`;
  return [
    docstring(method.description.description, '  '),
    `  '${method.id}': {\n`,
    `    readonly params: ${shape};\n`,
    `    readonly body: ${method.request ?? 'undefined'};\n`,
    `    readonly response: ${method.response ?? 'undefined'};\n`,
    '  };\n',
  ].join('');
}

function parameterType(parameter: ParameterDescription): string {
  const type = typeOf(parameter, '');
  return parameter.repeated === true ? `readonly ${element(type)}[]` : type;
}

function typeOf(schema: SchemaDescription, indent: string): string {
  const type = schema.$ref ?? valueType(schema, indent);
  return schema.nullable === true ? `${type} | null` : type;
}

function valueType(schema: SchemaDescription, indent: string): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ');
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly ${element(typeOf(schema.items ?? {}, indent))}[]`;
    case 'object':
      if (schema.properties !== undefined) return objectType(schema, indent);
      return `Readonly<Record<string, ${typeOf(schema.additionalProperties ?? {}, indent)}>>`;
    default:
      return 'unknown';
  }
}

/** A property may be absent unless a method requires it (`annotations.required`). */
function objectType(schema: SchemaDescription, indent: string): string {
  const inner = `${indent}  `;
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const optional = (property.annotations?.required ?? []).length > 0 ? '' : '?';
    const comment = docstring(property.description, inner);
    return `${comment}${inner}readonly ${quoteName(name)}${optional}: ${typeOf(property, inner)};\n`;
  });
  return `{\n${properties.join('')}${indent}}`;
}

function element(type: string): string {
  return type.includes(' | ') ? `(${type})` : type;
}

function quoteName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

function docstring(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;
}
