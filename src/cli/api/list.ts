import { Command } from 'commander';
import { palette } from '../../report/palette.ts';
import { printable } from '../../report/printable.ts';
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
    .description('List the APIs of a discovery service, or the documents that come with Lockhound.')
    .option('--directory <url>', 'root of the discovery service, or the address of its list')
    .option('--name <name>', 'only the API of this name')
    .option('--preferred', 'only the preferred version of each API')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  lockhound api list\n  lockhound api list --directory https://www.googleapis.com --preferred',
    )
    .action(async ({ directory, name, preferred, json }: ListOptions) => {
      const { listApis } = await import('../../commands/api/list-apis.ts');
      const items = await interruptible((signal) =>
        listApis({
          preferred: preferred === true,
          signal,
          ...(directory === undefined ? {} : { directory }),
          ...(name === undefined ? {} : { name }),
        }),
      );
      terminal.out(json === true ? `${JSON.stringify({ items }, null, 2)}\n` : textOf(items, terminal));
    });
}

function textOf(
  items: readonly {
    readonly id: string;
    readonly title: string;
    readonly labels: readonly string[];
    readonly preferred: boolean;
    readonly documentUrl?: string;
  }[],
  { colour }: Pick<Terminal, 'colour'>,
): string {
  const paint = palette(colour);
  const width = Math.max(0, ...items.map(({ id }) => id.length));
  const lines = items.map(({ id, title, labels, preferred, documentUrl = '' }) => {
    const facts = [...(preferred ? ['preferred'] : []), ...labels].join(', ');
    const name = paint.strong(printable(id.padEnd(width)));
    return `${name}  ${printable(title)}${facts === '' ? '' : ` (${printable(facts)})`}  ${paint.faint(printable(documentUrl))}`.trimEnd();
  });
  return `${[...lines, items.length === 1 ? '1 API' : `${items.length} APIs`].join('\n')}\n`;
}
