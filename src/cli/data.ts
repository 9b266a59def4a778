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
  lockhound data import osv https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip
  LOCKHOUND_INSIGHTS_SOURCES=osv lockhound scan .
  lockhound data show

Exit codes: 0 done, 1 stored without entries that cannot be read, 2 an error.`;

export function dataCommand(command: Command, context: CommandContext): void {
  command.addCommand(importCommand(context)).addCommand(showCommand(context)).addHelpText('after', EXAMPLES);
}

function importCommand({ terminal, exit }: CommandContext): Command {
  return withAdminOptions(new Command('import'))
    .description('Store a list or advisories in the data folder; lists also in Redis when redis.url is set.')
    .addArgument(new Argument('<list>', 'which list, or osv for advisories').choices([...FEEDS, 'osv']))
    .argument(
      '<from>',
      'file or URL in its published form: CSV (EPSS) or JSON (KEV), also compressed by gzip; for osv a ZIP file, a folder, or JSON',
    )
    .option('--force', 'replace a list that is newer, or has more than twice as many entries')
    .action(
      async (feed: FeedName | 'osv', from: string, options: AdminOptions & { readonly force?: boolean }) => {
        const loaded = loadConfig({ file: options.config });
        const { importAdvisories, importFeed } = await import('../commands/data.ts');
        if (feed === 'osv') {
          const added = await interruptible((signal) => importAdvisories(loaded, { from, signal }));
          print(terminal, options, added);
          return exit(added.rejected === 0 ? EXIT.clean : EXIT.findings);
        }
        const imported = await interruptible((signal) =>
          importFeed(loaded, { feed, from, force: options.force === true, signal }),
        );
        print(terminal, options, imported);
        exit(imported.head.rejected === 0 ? EXIT.clean : EXIT.findings);
      },
    );
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
