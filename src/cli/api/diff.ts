import { Command } from 'commander';
import { countDifferences } from '../../model/api/contract.ts';
import { differencesText } from '../../report/api/differences-text.ts';
import { EXIT } from '../exit-code.ts';
import { interruptible } from '../signals.ts';
import type { Terminal } from '../terminal.ts';

interface DiffOptions {
  readonly directory?: string;
  readonly json?: boolean;
}

export function diffCommand(terminal: Terminal, exit: (code: number) => void): Command {
  return new Command('diff')
    .description('Compare two documents from the view of a client of the first. Ignores documentation.')
    .argument('<old>', 'a file, a URL, or a name: insights, webhooks, discovery')
    .argument('<new>', 'the same')
    .option('--directory <url>', 'discovery service for other names')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n  lockhound api diff insights published.json\n\n' +
        'Exit codes: 0 no breaking difference, 1 breaking differences, 2 the documents could not be compared.',
    )
    .action(async (before: string, after: string, { directory, json }: DiffOptions) => {
      const { diffApis } = await import('../../commands/api/diff-apis.ts');
      const differences = await interruptible((signal) => diffApis({ before, after, directory, signal }));
      const breaking = differences.some(({ class: severity }) => severity === 'breaking');
      const document = { breaking, counts: countDifferences(differences), differences };
      if (json === true) terminal.out(`${JSON.stringify(document, null, 2)}\n`);
      else terminal.out(differencesText(differences, terminal));
      if (breaking) exit(EXIT.findings);
    });
}
