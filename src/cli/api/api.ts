import { Command } from 'commander';
import { countDifferences } from '../../model/api/contract.ts';
import {
  differencesText,
  listText,
  showApiText,
  showMethodText,
  validationText,
} from '../../report/administration/api-text.ts';
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

/** Prints a value as JSON, or its text. */
function print({ out }: Terminal, { json }: ApiOptions, value: unknown, text: () => string): void {
  out(json === true ? `${JSON.stringify(value, null, 2)}\n` : text());
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
      print(terminal, options, { items }, () => listText(items, terminal));
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
      print(terminal, options, method ?? api, () =>
        method === undefined ? showApiText(api, terminal) : showMethodText(method, terminal),
      );
    });
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
      print(terminal, options, document, () => differencesText(differences, terminal));
      if (breaking) exit(EXIT.findings);
    });
}
