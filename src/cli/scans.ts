import { Command, InvalidArgumentError } from 'commander';
import { SCAN_STATES, type ScanState } from '../model/scan/scan-record.ts';
import { scanListText, scanText } from '../report/administration/scan-record-text.ts';
import {
  type AdminOptions,
  administering,
  parseCount,
  parseSince,
  present,
  print,
  withAdminOptions,
} from './program/admin.ts';
import type { CommandContext } from './program/context.ts';
import type { Terminal } from './program/terminal.ts';

interface Filter extends AdminOptions {
  readonly state?: readonly ScanState[];
  readonly target?: string;
  readonly since?: number;
  readonly limit: number;
}

const administer = administering(async () => (await import('../commands/scans.ts')).openScanAdmin);

const EXAMPLES = `
Examples:
  lockhound scans list --since 2h                      recent scans with outcomes, gaps and changes
  lockhound scans list --state failed --target shop    failed scans of one target
  lockhound scans show 5f0c…                           one scan: unread lockfiles, deliveries

The newest 10,000 scans of the last 30 days are kept.
Exit codes: 0 done, 2 an error or no such scan.`;

export function scansCommand(command: Command, { terminal }: CommandContext): void {
  command.addCommand(listCommand(terminal)).addCommand(showCommand(terminal)).addHelpText('after', EXAMPLES);
}

function listCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('list'))
    .description('List scans: queued and running ones first, then the newest.')
    .option('-t, --target <id>', 'only scans of one target')
    .option('--since <time>', 'only scans since: a duration such as `2h`, or a time', parseSince)
    .option('--state <names>', `only scans in these states: ${SCAN_STATES.join(', ')}`, parseStates)
    .option('--limit <count>', 'at most this many', parseCount, 50)
    .action(({ state: states, target, since, limit, ...options }: Filter) =>
      administer(options, async (admin) => {
        const found = await admin.list({ states, target, since, limit: limit + 1 });
        const list = { scans: found.slice(0, limit), more: found.length > limit };
        print(terminal, options, list, () => scanListText(list, terminal));
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('show'))
    .description('Show one scan with its unread lockfiles and its deliveries.')
    .argument('<scan>', 'id of the scan')
    .action((id: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        const found = present(await admin.show(id), `there is no scan ${id}: see \`lockhound scans list\``);
        print(terminal, options, found, () => scanText(found, terminal));
      }),
    );
}

function parseStates(text: string): readonly ScanState[] {
  return text.split(',').map((name) => {
    const state = SCAN_STATES.find((one) => one === name.trim());
    if (state !== undefined) return state;
    throw new InvalidArgumentError(`states are ${SCAN_STATES.join(', ')}`);
  });
}
