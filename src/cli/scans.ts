import { Command, InvalidArgumentError } from 'commander';
import type { ScanDesk } from '../commands/scans.ts';
import { loadConfig } from '../config/load.ts';
import { SCAN_STATES, type ScanState } from '../model/scan/scan-record.ts';
import { scanListText, scanText } from '../report/scan-record-text.ts';
import type { CommandContext } from './context.ts';
import { CommandError } from './errors.ts';
import { type OutputOptions, withOutputFormat } from './output-format.ts';
import { positiveCount } from './positive-count.ts';
import { parseSince } from './since.ts';
import type { Terminal } from './terminal.ts';

interface Common extends OutputOptions {
  readonly config?: string;
}

interface Filter extends Common {
  readonly state?: readonly ScanState[];
  readonly target?: string;
  readonly since?: number;
  readonly limit: number;
}

const EXAMPLES = `
Examples:
  lockhound scans list --since 2h                      what was scanned, with outcomes, gaps and changes
  lockhound scans list --state failed --target shop    what was given up of one target
  lockhound scans show 5f0c…                           one scan: unread lockfiles, deliveries

The newest 10,000 scans of the last 30 days are kept.`;

export function scansCommand(command: Command, { terminal }: CommandContext): void {
  command.addCommand(listCommand(terminal)).addCommand(showCommand(terminal)).addHelpText('after', EXAMPLES);
}

function listCommand(terminal: Terminal): Command {
  return withCommon(new Command('list'))
    .description('List scans, newest first; those that are still on the queue in front.')
    .option('-t, --target <id>', 'only those of one target')
    .option('--since <time>', 'only those since: `2h` ago, or a time', parseSince)
    .option('--state <names>', `only those in these states: ${SCAN_STATES.join(', ')}`, states)
    .option('--limit <count>', 'at most so many', positiveCount, 50)
    .action(({ state, target, since, limit, ...options }: Filter) =>
      atDesk(options, async (desk) => {
        const found = await desk.list({
          ...(state === undefined ? {} : { states: state }),
          ...(target === undefined ? {} : { target }),
          ...(since === undefined ? {} : { since }),
          limit: limit + 1,
        });
        const list = { scans: found.slice(0, limit), more: found.length > limit };
        print(terminal, options, list, () => scanListText(list, terminal));
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return withCommon(new Command('show'))
    .description('Show one scan with its unread lockfiles and its deliveries.')
    .argument('<scan>', 'id of the scan')
    .action((id: string, options: Common) =>
      atDesk(options, async (desk) => {
        const found = await desk.show(id);
        if (found === undefined) {
          throw new CommandError('not-found', `no scan ${id} is known: see \`lockhound scans list\``);
        }
        print(terminal, options, found, () => scanText(found, terminal));
      }),
    );
}

function withCommon(command: Command): Command {
  return withOutputFormat(command, 'print JSON').option('-c, --config <file>', 'configuration file');
}

async function atDesk(options: Common, work: (desk: ScanDesk) => Promise<void>): Promise<void> {
  const loaded = loadConfig(options.config === undefined ? {} : { file: options.config });
  const { openScanDesk } = await import('../commands/scans.ts');
  const desk = await openScanDesk(loaded);
  try {
    await work(desk);
  } finally {
    await desk.close();
  }
}

function states(text: string): readonly ScanState[] {
  return text.split(',').map((name) => {
    const state = SCAN_STATES.find((one) => one === name.trim());
    if (state !== undefined) return state;
    throw new InvalidArgumentError(`states are ${SCAN_STATES.join(', ')}`);
  });
}

function print(terminal: Terminal, { format }: Common, value: unknown, text: () => string): void {
  terminal.out(format === 'json' ? `${JSON.stringify(value)}\n` : text());
}
