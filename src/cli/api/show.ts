import { Command } from 'commander';
import { showApiText, showMethodText } from '../../report/api/show-text.ts';
import { interruptible } from '../signals.ts';
import type { Terminal } from '../terminal.ts';

interface ShowOptions {
  readonly directory?: string;
  readonly json?: boolean;
}

export function showCommand(terminal: Terminal): Command {
  return new Command('show')
    .description('Show the methods of a document with their parameters and scopes, or one method in full.')
    .argument('<document>', 'a file, a URL, or a name: insights, webhooks, discovery')
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
    .action(async (document: string, methodId: string | undefined, { directory, json }: ShowOptions) => {
      const { showApi } = await import('../../commands/api/show-api.ts');
      const { api, method } = await interruptible((signal) =>
        showApi({ document, methodId, directory, signal }),
      );
      if (json === true) terminal.out(`${JSON.stringify(method ?? api, null, 2)}\n`);
      else terminal.out(method === undefined ? showApiText(api, terminal) : showMethodText(method, terminal));
    });
}
