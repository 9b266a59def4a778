import { readFileSync } from 'node:fs';
import path from 'node:path';
import { cell, codes, row, table } from './markdown.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly repeated?: boolean;
  readonly required?: boolean;
}

interface Method {
  readonly id: string;
  readonly path: string;
  readonly httpMethod: string;
  readonly description?: string;
  readonly parameters?: Readonly<Record<string, Schema>>;
  readonly request?: Schema;
  readonly response?: Schema;
  readonly scopes?: readonly string[];
}

interface Resource {
  readonly methods?: Readonly<Record<string, Method>>;
  readonly resources?: Readonly<Record<string, Resource>>;
}

const DOCUMENT = path.resolve(import.meta.dirname, '../../apis/lockhound.v1.json');

const HEAD = `<!-- Written by \`npm run generate\` from \`apis/lockhound.v1.json\`. -->

# All operations

Every operation of \`lockhound serve\`, with its role, parameters and answer. [The API](../api.md) says how to call them. A command with \`--json\` prints the same answer. Paths begin
with \`/api/v1/\`. Lists have \`pageSize\` and \`pageToken\`, which are left out here.
`;
const PAGING = new Set(['pageSize', 'pageToken']);

/** The page of all operations, with the objects that they take and answer. */
export function apiPage(): string {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Resource & {
    readonly schemas: Readonly<Record<string, Schema>>;
  };
  const operations = methodsOf(document).map(operation);
  const objects = Object.entries(document.schemas).map(([name, schema]) => object(name, schema));
  return `${HEAD}\n${operations.join('\n')}\n## Objects\n\n${objects.join('\n')}`;
}

function methodsOf({ methods = {}, resources = {} }: Resource): readonly Method[] {
  return [...Object.values(methods), ...Object.values(resources).flatMap(methodsOf)];
}

function operation({ id, path: route, httpMethod, description = '', ...rest }: Method): string {
  const { parameters = {}, request, response, scopes = [] } = rest;
  const own = Object.entries(parameters).filter(([name]) => !PAGING.has(name));
  const facts = [
    `\`${httpMethod} ${route}\``,
    scopes.length === 0 ? '' : `role ${codes(scopes)}`,
    request === undefined ? '' : `body ${typeOf(request)}`,
    response === undefined ? '' : `answer ${typeOf(response)}`,
  ].filter((fact) => fact !== '');
  return [
    `## ${id.replace(/^lockhound\./, '')}\n`,
    `${description}\n`,
    `${facts.join('; ')}\n`,
    ...(own.length === 0 ? [] : [properties('parameter', own)]),
  ].join('\n');
}

function object(name: string, schema: Schema): string {
  const { description = '', properties: own, additionalProperties: others } = schema;
  const any = others === undefined ? '' : `Any names, with values of type ${typeOf(others)}.\n`;
  return `### ${name}\n\n${description}\n\n${own === undefined ? any : properties('field', Object.entries(own))}`;
}

function properties(what: string, entries: readonly (readonly [string, Schema])[]): string {
  return table(
    [what, 'type', 'meaning'],
    entries.map(([name, schema]) => row([`\`${name}\``, typeOf(schema), meaning(schema)])),
  );
}

function typeOf({ $ref, type = 'any', items, repeated }: Schema): string {
  if ($ref !== undefined) return `[${$ref}](#${$ref.toLowerCase()})`;
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return repeated === true ? `${type}, repeated` : type;
}

function meaning({ description = '', enum: values = [], default: fallback, required }: Schema): string {
  return cell(
    [
      description,
      values.length === 0 ? '' : `One of ${codes(values)}.`,
      fallback === undefined ? '' : `Default: \`${fallback}\`.`,
      required === true ? 'Required.' : '',
    ]
      .filter((text) => text !== '')
      .join(' '),
  ).replaceAll('\\\\|', '\\|');
}
