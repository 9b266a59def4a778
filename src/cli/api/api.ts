import { Command } from 'commander';
import type { MethodDetail, OutlineLine } from '../../discovery/description/schema-outline.ts';
import type { ValidatedFile } from '../../discovery/description/validate-description.ts';
import { countDifferences } from '../../model/api/contract.ts';
import { printable } from '../../model/printable.ts';
import { palette, type TextOptions } from '../../report/layout.ts';
import { columnsText } from '../operations/short-answer.ts';
import { EXIT } from '../program/errors.ts';
import { type CommandContext, interruptible, type Terminal } from '../program/terminal.ts';
import { callCommand } from './call.ts';
import { urlCommand } from './url.ts';

const COMMANDS = [listCommand, showCommand, validateCommand, urlCommand, callCommand, diffCommand];

export function apiCommand(api: Command, { terminal, exit }: CommandContext): void {
  for (const command of COMMANDS) api.addCommand(command(terminal, exit));
}

interface ApiOptions {
  readonly directory?: string;
  readonly name?: string;
  readonly preferred?: boolean;
  readonly json?: boolean;
}

const DOCUMENT = 'a file, a URL, or a name: insights, webhooks, discovery, lockhound';

/** The properties that are shown as text. */
const COLUMNS = {
  items: 'id title labels preferred documentUrl',
  parameters: 'name required location type format repeated default enum description',
  enum: 'value',
};

/** Prints a value as JSON, or as text. */
function print(terminal: Terminal, { json }: ApiOptions, value: object, shown: object = value): void {
  terminal.out(json === true ? `${JSON.stringify(value, null, 2)}\n` : columnsText(shown, COLUMNS, terminal));
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('List the APIs of a discovery service, or the bundled documents.')
    .option('--directory <url>', 'root of the discovery service, or the address of its list')
    .option('--name <name>', 'only APIs with this name')
    .option('--preferred', 'only the preferred version of each API')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  lockhound api list\n  lockhound api list --directory https://www.googleapis.com --preferred',
    )
    .action(async (options: ApiOptions) => {
      const { directory, name, preferred = false } = options;
      const { listApis } = await import('../../commands/api/apis.ts');
      const items = await interruptible((signal) => listApis({ preferred, signal, directory, name }));
      print(terminal, options, { items });
    });
}

function showCommand(terminal: Terminal): Command {
  return new Command('show')
    .description('Show the methods of a document with their parameters and scopes, or one method in full.')
    .argument('<document>', DOCUMENT)
    .argument('[methodId]', 'show this method with its schemas')
    .option('--directory <url>', 'discovery service for other names')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  lockhound api show insights\n' +
        '  lockhound api show insights insights.getVersion\n' +
        '  lockhound api show sheets:v4 --directory https://www.googleapis.com',
    )
    .action(async (document: string, methodId: string | undefined, options: ApiOptions) => {
      const { directory } = options;
      const { showApi } = await import('../../commands/api/apis.ts');
      const { api, method } = await interruptible((signal) =>
        showApi({ document, methodId, directory, signal }),
      );
      if (method === undefined) print(terminal, options, api, { ...api, schemas: api.schemas.length });
      else print(terminal, options, method, { ...method, ...outlines(method) });
    });
}

/** The schemas of a method as rows: names are indented by their depth. */
function outlines({ requestSchema, responseSchema }: MethodDetail) {
  const row = ({
    depth,
    name,
    type,
    default: preset,
    enum: values,
    requiredBy,
    description,
  }: OutlineLine) => ({
    ...{ name: `${'  '.repeat(depth)}${name}`, type, default: preset, enum: values, requiredBy, description },
  });
  return { requestSchema: requestSchema.map(row), responseSchema: responseSchema.map(row) };
}

function validateCommand(terminal: Terminal, exit: (code: number) => void): Command {
  return new Command('validate')
    .description('Validate description documents and print a line for each. Unknown fields are allowed.')
    .argument('<files...>', 'files, or folders of .json files')
    .option('--json', 'print one JSON object per line, with every problem and its JSON path')
    .addHelpText(
      'after',
      '\nExample:\n  lockhound api validate apis/*.json\n\nExit codes: 0 all valid, 2 at least one is not.',
    )
    .action(async (files: string[], { json }: ApiOptions) => {
      const { validateFiles } = await import('../../commands/api/validate-files.ts');
      let invalid = false;
      for await (const file of validateFiles(files)) {
        invalid ||= !file.valid;
        terminal.out(json === true ? `${JSON.stringify(file)}\n` : validationText(file, terminal));
      }
      if (invalid) exit(EXIT.error);
    });
}

function diffCommand(terminal: Terminal, exit: (code: number) => void): Command {
  return new Command('diff')
    .description('Compare two documents from the view of a client of the first. Ignores documentation.')
    .argument('<old>', DOCUMENT)
    .argument('<new>', 'the same')
    .option('--directory <url>', 'discovery service for other names')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n  lockhound api diff insights published.json\n\n' +
        'Exit codes: 0 no breaking difference, 1 breaking differences, 2 the documents could not be compared.',
    )
    .action(async (before: string, after: string, options: ApiOptions) => {
      const { directory } = options;
      const { diffApis } = await import('../../commands/api/apis.ts');
      const differences = await interruptible((signal) => diffApis({ before, after, directory, signal }));
      const breaking = differences.some(({ class: severity }) => severity === 'breaking');
      const document = { breaking, counts: countDifferences(differences), differences };
      print(terminal, options, document);
      if (breaking) exit(EXIT.findings);
    });
}

const SHOWN_PROBLEMS = 3;

/**
 * Whether a description document is valid, and the first of its problems: one line for each file, regardless of the
 * width.
 */
function validationText(file: ValidatedFile, { colour }: TextOptions): string {
  const paint = palette(colour);
  const { valid, id, methods, schemas } = file;
  const problems = file.problems.filter(({ severity }) => !valid === (severity === 'error'));
  const rest = problems.length - SHOWN_PROBLEMS;
  const texts = [
    ...(valid ? [`${id ?? '(no id)'}: ${methods} methods, ${schemas} schemas`] : []),
    ...problems
      .slice(0, SHOWN_PROBLEMS)
      .map(({ path, message }) => `${valid ? 'odd: ' : ''}${path} ${message}`),
    ...(rest > 0 ? [`and ${rest} more (--json lists them)`] : []),
  ];
  const verdict = valid ? paint.good('valid  ') : paint.bad('invalid');
  return `${verdict}  ${paint.strong(printable(file.file))}  ${printable(texts.join('; '))}\n`;
}
