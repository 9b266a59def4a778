import type { MethodDetail, OutlineLine } from '../../discovery/description/schema-outline.ts';
import type { ApiSummary, MethodSummary } from '../../discovery/description/summary.ts';
import type { ValidatedFile } from '../../discovery/description/validate-description.ts';
import type { DirectoryItem } from '../../discovery/directory/directory-list.ts';
import { type ContractDifference, countDifferences, DIFFERENCE_CLASSES } from '../../model/api/contract.ts';
import { printable } from '../../model/printable.ts';
import {
  columns,
  fitLines,
  hang,
  oneLine,
  type Palette,
  palette,
  type TextOptions,
  wrapped,
} from '../layout.ts';

type Parameter = MethodSummary['parameters'][number];

/** A document as text: its summary, then each method in a few lines. */
export function showApiText(api: ApiSummary, page: TextOptions): string {
  const paint = palette(page.colour);
  const line = (name: string, text: string) =>
    text === '' ? [] : hang(`${paint.faint(name.padEnd(10))} `, printable(text), page.width);
  return fitLines(
    [
      `${paint.strong(printable(api.title || api.id))}  ${printable(api.id)}`,
      ...(api.description === '' ? [] : wrapped(printable(api.description), page.width)),
      ...line('base URL', api.baseUrl ?? ''),
      ...line('revision', api.revision ?? ''),
      ...line('labels', api.labels.join(', ')),
      ...line('features', api.features.join(', ')),
      ...line('docs', api.documentationLink ?? ''),
      ...api.endpoints.flatMap(({ endpointUrl = '', location = '', deprecated }) =>
        line('endpoint', `${endpointUrl} ${location}${deprecated === true ? ' (deprecated)' : ''}`),
      ),
      ...line('common', api.parameters.map(({ name }) => name).join(', ')),
      ...(api.scopes.length === 0
        ? []
        : ['', paint.strong('Scopes'), ...scopeLines(api.scopes, paint, page)]),
      '',
      `${paint.strong(`${api.methods.length} methods`)}, ${api.schemas.length} schemas`,
      ...api.methods.flatMap((method) => ['', ...methodLines(method, paint, page.width)]),
    ],
    page,
  );
}

/** One method in full: its parameters and the schemas of body and answer. */
export function showMethodText(method: MethodDetail, page: TextOptions): string {
  const paint = palette(page.colour);
  const shape = (title: string, name: string | null, lines: readonly OutlineLine[], requiredFor?: string) =>
    name === null
      ? []
      : [
          '',
          `${paint.strong(title)} ${printable(name)}`,
          ...lines.map((line) => propertyText(line, requiredFor, page.width)),
        ];
  return fitLines(
    [
      ...methodLines({ ...method, parameters: [], scopes: [], description: '' }, paint, page.width),
      ...(method.flatPath === null || method.flatPath === method.path
        ? []
        : [`  flat: ${printable(method.flatPath)}`]),
      '',
      ...wrapped(printable(method.description), page.width),
      ...method.parameters.flatMap((parameter) => ['', ...parameterLines(parameter, paint, page.width)]),
      ...shape('Body', method.request, method.requestSchema, method.id),
      ...shape('Answer', method.response, method.responseSchema),
      ...(method.mediaUpload === null
        ? []
        : ['', `${paint.strong('Media')} ${uploadText(method.mediaUpload)}`]),
      ...(method.scopes.length === 0 ? [] : ['', paint.strong('Scopes (any one)')]),
      ...scopeLines(method.scopes, paint, page),
    ],
    page,
  );
}

function methodLines(method: MethodSummary, paint: Palette, width: number): readonly string[] {
  const { id, httpMethod, path, description, request, response, scopes, parameters } = method;
  const shapes = [
    request === null ? [] : [`body ${request}`],
    response === null ? [] : [`answers ${response}`],
  ].flat();
  const media = [
    ...(method.mediaUpload === null ? [] : ['takes media']),
    ...(method.supportsMediaDownload ? ['gives media (alt=media)'] : []),
    ...(method.supportsSubscription ? ['takes subscriptions'] : []),
  ];
  const facts = [...shapes, ...media].join(', ');
  return [
    `${paint.strong(printable(id))}${method.deprecated ? ` ${paint.bad('deprecated')}` : ''}`,
    `  ${httpMethod} ${printable(path)}${facts === '' ? '' : `  ${paint.faint(printable(facts))}`}`,
    ...(description === '' ? [] : [oneLine(`  ${printable(description)}`, width)]),
    ...parameters.map((parameter) =>
      oneLine(`    ${printable(`${parameterText(parameter)}  ${parameter.description ?? ''}`)}`, width),
    ),
    ...(scopes.length === 0
      ? []
      : [oneLine(`    scopes: ${printable(scopes.map(({ scope }) => scope).join(' '))}`, width)]),
  ];
}

/** `url*: string  Address that is called.`; the star is for what `requiredFor` has to send. Only the description is cut. */
function propertyText(line: OutlineLine, requiredFor: string | undefined, width: number): string {
  const { depth, name, type, description, default: initial, enum: values, requiredBy } = line;
  const others = requiredFor === undefined ? [] : requiredBy.filter((id) => id !== requiredFor);
  const facts = [
    `${name}${requiredFor !== undefined && requiredBy.includes(requiredFor) ? '*' : ''}: ${type}`,
    ...(initial === null ? [] : [`= ${initial}`]),
    ...(values.length === 0 ? [] : [`one of ${values.map(({ value }) => value).join(', ')}`]),
    ...(others.length === 0 ? [] : [`required by ${others.join(', ')}`]),
  ];
  const head = '  '.repeat(depth + 1) + printable(facts.join(' '));
  const whole = `${head}  ${printable(description)}`.trimEnd();
  return head.length >= width ? head : oneLine(whole, width);
}

function parameterLines(parameter: Parameter, paint: Palette, width: number): readonly string[] {
  const { description = '', enum: values } = parameter;
  return [
    ...hang('  ', paint.strong(printable(parameterText(parameter))), width),
    ...(description === '' ? [] : wrapped(`    ${printable(description)}`, width)),
    ...columns(
      values.map(({ value, description: what, deprecated }) => [
        `${printable(value)}${deprecated ? ' (deprecated)' : ''}`,
        paint.faint(printable(what)),
      ]),
      { width, indent: '      ' },
    ),
  ];
}

function scopeLines(scopes: ApiSummary['scopes'], paint: Palette, { width }: TextOptions): readonly string[] {
  const rows = scopes.map(({ scope, description }) => [
    printable(scope),
    paint.faint(printable(description)),
  ]);
  return columns(rows, { width, indent: '  ' });
}

/** `versionKey.system* (path, string) = NPM, one of GO, NPM`; the star is for required ones. */
function parameterText(parameter: Parameter): string {
  const {
    name,
    required,
    repeated,
    location = 'query',
    type = 'string',
    format,
    default: initial,
  } = parameter;
  const { pattern, minimum, maximum, enum: values, deprecated } = parameter;
  const kind = `${type}${format === undefined ? '' : ` ${format}`}${repeated ? ', repeated' : ''}`;
  return [
    `${name}${required ? '*' : ''} (${location}, ${kind}${deprecated === true ? ', deprecated' : ''})`,
    ...(initial === undefined ? [] : [`= ${initial}`]),
    ...(minimum === undefined ? [] : [`≥ ${minimum}`]),
    ...(maximum === undefined ? [] : [`≤ ${maximum}`]),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...(values.length === 0 ? [] : [`one of ${values.map(({ value }) => value).join(', ')}`]),
  ].join(' ');
}

function uploadText({
  accept = [],
  maxSize,
  protocols = {},
}: NonNullable<MethodSummary['mediaUpload']>): string {
  const ways = Object.entries(protocols).map(
    ([name, { path = '', multipart }]) => `${name}${multipart === true ? ' (multipart)' : ''} ${path}`,
  );
  const limit = maxSize === undefined ? '' : `, at most ${maxSize}`;
  return printable(`${accept.join(', ') || 'of any type'}${limit}: ${ways.join('; ')}`);
}

/** The APIs of a directory, one row each. */
export function listText(items: readonly DirectoryItem[], { colour, width }: TextOptions): string {
  const paint = palette(colour);
  const rows = items.map(({ id, title, labels, preferred, documentUrl = '' }) => {
    const facts = [...(preferred ? ['preferred'] : []), ...labels].join(', ');
    const what = `${printable(title)}${facts === '' ? '' : ` (${printable(facts)})`}`;
    return [paint.strong(printable(id)), `${what}  ${paint.faint(printable(documentUrl))}`.trimEnd()];
  });
  const count = items.length === 1 ? '1 API' : `${items.length} APIs`;
  return `${[...columns(rows, { width }), count].join('\n')}\n`;
}

const SHOWN_PROBLEMS = 3;

/**
 * Whether a description document is valid, and the first of its problems: one line for each file, regardless of the
 * width.
 */
export function validationText(file: ValidatedFile, { colour }: TextOptions): string {
  const paint = palette(colour);
  const { valid, id, methods, schemas, problems } = file;
  const shown = problemsText(problems.filter(({ severity }) => !valid === (severity === 'error')));
  const facts = `${printable(id ?? '(no id)')}: ${methods} methods, ${schemas} schemas`;
  const warnings = shown === '' ? '' : `; ${paint.faint(`odd: ${shown}`)}`;
  const verdict = valid ? paint.good('valid  ') : paint.bad('invalid');
  const lead = `${verdict}  ${paint.strong(printable(file.file))}  `;
  return `${lead}${valid ? facts + warnings : shown}\n`;
}

function problemsText(problems: ValidatedFile['problems']): string {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(({ path, message }) => printable(`${path} ${message}`));
  const rest = problems.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more (--json lists them)`] : [])].join('; ');
}

/** The differences of two description documents, in the given order, and a count for each class. */
export function differencesText(
  differences: readonly ContractDifference[],
  { colour, width }: TextOptions,
): string {
  const paint = palette(colour);
  const style = { breaking: paint.bad, deprecating: paint.strong, compatible: paint.faint };
  const rows = differences.flatMap(({ class: name, path, subject, message, kind }) => [
    [style[name](name), `${printable(subject)}: ${printable(message)}`],
    ['', paint.faint(`${kind} ${printable(path)}`)],
  ]);
  const counts = countDifferences(differences);
  const summary = DIFFERENCE_CLASSES.map((name) => `${counts[name]} ${name}`).join(', ');
  const last = differences.length === 0 ? 'No differences.' : summary;
  return `${[...columns(rows, { width }), last].join('\n')}\n`;
}
