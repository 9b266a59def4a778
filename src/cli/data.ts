import { Argument, Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { FEEDS, type FeedName } from '../model/exploits/exploit-data.ts';
import { type AdminOptions, print, withAdminOptions } from './program/admin.ts';
import type { CommandContext } from './program/context.ts';
import { EXIT } from './program/errors.ts';
import { interruptible } from './program/signals.ts';

const EXAMPLES = `
Examples:
  lockhound data import epss epss_scores-current.csv.gz
  lockhound data import kev https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json
  lockhound data show

Exit codes: 0 done, 1 stored without entries that cannot be read, 2 an error.`;

export function dataCommand(command: Command, context: CommandContext): void {
  command.addCommand(importCommand(context)).addCommand(showCommand(context)).addHelpText('after', EXAMPLES);
}

function importCommand({ terminal, exit }: CommandContext): Command {
  return withAdminOptions(new Command('import'))
    .description('Store a list in the data folder, and in Redis when redis.url is set.')
    .addArgument(new Argument('<list>', 'which list').choices(FEEDS))
    .argument(
      '<from>',
      'file or URL in its published form: CSV (EPSS) or JSON (KEV), also compressed by gzip',
    )
    .option('--force', 'replace a list that is newer, or has more than twice as many entries')
    .action(async (feed: FeedName, from: string, options: AdminOptions & { readonly force?: boolean }) => {
      const loaded = loadConfig({ file: options.config });
      const { importFeed } = await import('../commands/data.ts');
      const imported = await interruptible((signal) =>
        importFeed(loaded, { feed, from, force: options.force === true, signal }),
      );
      print(terminal, options, imported);
      exit(imported.head.rejected === 0 ? EXIT.clean : EXIT.findings);
    });
}

function showCommand({ terminal, exit }: CommandContext): Command {
  return withAdminOptions(new Command('show'))
    .description('Show the stored lists with their dates.')
    .action(async (options: AdminOptions) => {
      const { storedLists } = await import('../commands/data.ts');
      const places = await storedLists(loadConfig({ file: options.config }));
      print(terminal, options, places);
      if (places.some(({ fault }) => fault !== undefined)) exit(EXIT.error);
    });
}
