import type { RestDescription, SchemaDescription } from '../discovery/description/description.ts';
import { isObject } from '../model/json-object.ts';
import type { ContractProblem } from './answered.ts';

/**
 * Returns the usable part of a parsed answer: the value itself when it fits, otherwise a copy without what does not fit, or
 * `undefined` when nothing fits. Adds every place that does not fit to `problems`.
 */
export type AnswerCheck = (value: unknown, problems: ContractProblem[]) => unknown;

/** Dotted paths of the fields that are read, through objects and lists: `responses.version.advisoryKeys`. */
export type Fields = readonly string[];

/** The part of a schema that is checked; `undefined`: all of it. */
type Mask = ReadonlyMap<string, Mask> | undefined;

interface Compiler {
  readonly document: RestDescription;
  /** Checks of whole schemas by name; a schema may refer to itself. */
  readonly known: Map<string, AnswerCheck>;
}

/**
 * Compiles a check of answers against one of the document's schemas. `fields` limits the check to the fields that are
 * read. A field that is `null` counts as absent. An unknown value of an enumeration is reported and kept: a newer service
 * may have more of them.
 */
export function compileAnswerCheck(
  document: RestDescription,
  schemaId: string,
  fields?: Fields,
): AnswerCheck {
  const check = compile({ document, known: new Map() }, { $ref: schemaId }, maskOf(fields));
  return (value, problems) => {
    const first = problems.length;
    const usable = check(value, problems);
    if (problems.length > first) prefix(problems, first, '$');
    return usable;
  };
}

function maskOf(fields: Fields | undefined): Mask {
  if (fields === undefined) return undefined;
  const groups = Map.groupBy(fields, (field) => field.split('.', 1)[0] ?? '');
  return new Map(
    [...groups].map(([name, paths]) => {
      const inner = paths.map((path) => path.slice(name.length + 1));
      return [name, inner.includes('') ? undefined : maskOf(inner)];
    }),
  );
}

function compile(compiler: Compiler, schema: SchemaDescription, mask: Mask): AnswerCheck {
  if (schema.$ref !== undefined) return compileReference(compiler, schema.$ref, mask);
  switch (schema.type) {
    case 'object':
      return objectCheck(compiler, schema, mask);
    case 'array':
      return listCheck(compiler, schema.items ?? {}, mask);
    case 'string':
      return schema.enum === undefined ? expect('string', 'text') : enumCheck(schema.enum);
    case 'boolean':
      return expect('boolean', 'true or false');
    case 'number':
      return expect('number', 'a number');
    case 'integer':
      return (value, problems) =>
        Number.isInteger(value) ? value : reportMisfit(problems, 'an integer', value);
    default:
      return (value) => value;
  }
}

function compileReference(compiler: Compiler, name: string, mask: Mask): AnswerCheck {
  const { document, known } = compiler;
  const schema = document.schemas?.[name] ?? {};
  if (mask !== undefined) return compile(compiler, schema, mask);
  const found = known.get(name);
  if (found !== undefined) return found;
  // Used while the schema is compiled, by schemas that refer to it.
  known.set(name, (value, problems) => known.get(name)?.(value, problems));
  const check = compile(compiler, schema, undefined);
  known.set(name, check);
  return check;
}

function objectCheck(compiler: Compiler, schema: SchemaDescription, mask: Mask): AnswerCheck {
  const checks = Object.entries(schema.properties ?? {})
    .filter(([name]) => mask?.has(name) ?? true)
    .map(([name, property]) => [name, compile(compiler, property, mask?.get(name))] as const);
  return (value, problems) => {
    if (!isObject(value)) return reportMisfit(problems, 'an object', value);
    let usable = value;
    for (const [name, check] of checks) {
      const item = value[name];
      if (item === undefined) continue;
      const first = problems.length;
      const fitting = item === null ? undefined : check(item, problems);
      if (problems.length > first) prefix(problems, first, `.${name}`);
      if (fitting !== item) usable = replaced(usable, name, fitting);
    }
    return usable;
  };
}

function replaced(value: object, name: string, item: unknown): Record<string, unknown> {
  const { [name]: _replaced, ...others } = value as Record<string, unknown>;
  return item === undefined ? others : { ...others, [name]: item };
}

/**
 * Items that should be objects and are not become empty objects, so that the others keep their index. Other items that do
 * not fit are removed.
 */
function listCheck(compiler: Compiler, items: SchemaDescription, mask: Mask): AnswerCheck {
  const check = compile(compiler, items, mask);
  const placeholder = holdsObjects(compiler, items) ? Object.freeze({}) : undefined;
  return (value, problems) => {
    if (!Array.isArray(value)) return reportMisfit(problems, 'a list', value);
    let usable: unknown[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      const first = problems.length;
      const fitting = check(item, problems) ?? placeholder;
      if (problems.length > first) prefix(problems, first, `[${index}]`);
      if (fitting !== item) usable ??= value.slice(0, index);
      if (fitting !== undefined) usable?.push(fitting);
    }
    return usable ?? value;
  };
}

function holdsObjects({ document }: Compiler, items: SchemaDescription): boolean {
  const schema = items.$ref === undefined ? items : document.schemas?.[items.$ref];
  return schema?.type === 'object';
}

function enumCheck(names: readonly string[]): AnswerCheck {
  const known: ReadonlySet<unknown> = new Set(names);
  return (value, problems) => {
    if (known.has(value)) return value;
    if (typeof value !== 'string') return reportMisfit(problems, 'text', value);
    reportMisfit(problems, `one of ${names.join(', ')}`, value);
    return value;
  };
}

function expect(type: 'string' | 'boolean' | 'number', expected: string): AnswerCheck {
  return (value, problems) => (typeof value === type ? value : reportMisfit(problems, expected, value));
}

function reportMisfit(problems: ContractProblem[], expected: string, value: unknown): undefined {
  const found = (JSON.stringify(value) ?? typeof value).slice(0, 80);
  problems.push({ path: '', message: `${expected} is expected, there is ${found}` });
  return undefined;
}

function prefix(problems: ContractProblem[], first: number, segment: string): void {
  for (let index = first; index < problems.length; index += 1) {
    const problem = problems[index];
    if (problem !== undefined) problems[index] = { ...problem, path: segment + problem.path };
  }
}
