import { Command } from 'commander';
import { listText } from '../../report/api/list-text.ts';
import { interruptible } from '../signals.ts';
import type { Terminal } from '../terminal.ts';

interface ListOptions {
  readonly directory?: string;
  readonly name?: string;
  readonly preferred?: boolean;
  readonly json?: boolean;
}

export function listCommand(terminal: Terminal): Command {
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
    .action(async ({ directory, name, preferred, json }: ListOptions) => {
      const { listApis } = await import('../../commands/api/list-apis.ts');
      const items = await interruptible((signal) =>
        listApis({ preferred: preferred === true, signal, directory, name }),
      );
      terminal.out(json === true ? `${JSON.stringify({ items }, null, 2)}\n` : listText(items, terminal));
    });
}
