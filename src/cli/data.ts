import { Argument, Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config/load.ts';
import { FEEDS, type FeedName } from '../model/exploits/exploit-data.ts';
import { type AdminOptions, print, withAdminOptions } from './program/admin.ts';
import { EXIT } from './program/errors.ts';
import { type CommandContext, interruptible } from './program/terminal.ts';

const EXAMPLES = `
Examples:
  lockhound data import epss epss_scores-current.csv.gz
  lockhound data import kev https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json
  lockhound data import osv https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip
  LOCKHOUND_INSIGHTS_SOURCES=osv lockhound scan .
  LOCKHOUND_DATA_OSV_URL=https://osv-vulnerabilities.storage.googleapis.com lockhound data update
  lockhound data export advisories.bundle --sign key.pem
  lockhound data import bundle advisories.bundle --verify key.pub.pem
  lockhound data show

Exit codes: 0 done, 1 stored without entries that cannot be read, 2 an error, or a list of changes that cannot be read.`;

export function dataCommand(command: Command, context: CommandContext): void {
  command
    .addCommand(importCommand(context))
    .addCommand(updateCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(showCommand(context))
    .addHelpText('after', EXAMPLES);
}

interface ImportCommandOptions extends AdminOptions {
  readonly force?: boolean;
  readonly verify?: string;
}

function importCommand({ terminal, exit }: CommandContext): Command {
  return withAdminOptions(new Command('import'))
    .description('Store a list or advisories in the data folder; lists also in Redis when redis.url is set.')
    .addArgument(
      new Argument('<list>', 'which list; osv: advisories; bundle: what `data export` wrote').choices([
        ...FEEDS,
        'osv',
        'bundle',
      ]),
    )
    .argument(
      '<from>',
      'file or URL in its published form: CSV (EPSS) or JSON (KEV), also compressed by gzip; for osv a ZIP file, a folder, or JSON',
    )
    .option('--force', 'replace a list that is newer, or has more than twice as many entries')
    .option('--verify <file>', 'public Ed25519 key (PEM) that has to have signed the bundle')
    .action(async (list: FeedName | 'osv' | 'bundle', from: string, options: ImportCommandOptions) => {
      const loaded = loadConfig({ file: options.config });
      const data = await import('../commands/data.ts');
      const { force = false, verify } = options;
      const [imported, rejected] = await interruptible(async (signal) => {
        if (list === 'bundle')
          return [await data.importFromBundle(loaded, { from, verify, signal }), 0] as const;
        if (list === 'osv') {
          const added = await data.importAdvisories(loaded, { from, signal });
          return [added, added.rejected] as const;
        }
        const feed = await data.importFeed(loaded, { feed: list, from, force, signal });
        return [feed, feed.head.rejected] as const;
      });
      print(terminal, options, imported);
      exit(rejected === 0 ? EXIT.clean : EXIT.findings);
    });
}

function updateCommand({ terminal, exit }: CommandContext): Command {
  return withAdminOptions(new Command('update'))
    .description('Add what changed since the advisories were imported, by the lists of data.osv.url.')
    .action(async (options: AdminOptions) => {
      const loaded = loadConfig({ file: options.config });
      const { updateAdvisoriesFrom } = await import('../commands/data.ts');
      const result = await interruptible((signal) => updateAdvisoriesFrom(loaded, signal));
      print(terminal, options, result);
      const { ecosystems } = result;
      if (ecosystems.some(({ fault }) => fault !== undefined)) exit(EXIT.error);
      else exit(ecosystems.some(({ rejected }) => rejected > 0) ? EXIT.findings : EXIT.clean);
    });
}

function exportCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(new Command('export'))
    .description('Write the imported advisories and lists to one file, for machines without a connection.')
    .argument('<file>', 'file to write')
    .option('--sign <file>', 'private Ed25519 key (PEM) to sign it with')
    .option('--since <time>', 'only advisories that changed since this time (RFC 3339)', parseTime)
    .action(
      async (to: string, options: AdminOptions & { readonly sign?: string; readonly since?: string }) => {
        const { exportBundle } = await import('../commands/data.ts');
        const { since, sign } = options;
        print(
          terminal,
          options,
          await exportBundle(loadConfig({ file: options.config }), { to, since, sign }),
        );
      },
    );
}

function parseTime(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('a time (RFC 3339), such as 2026-05-01T00:00:00Z');
  return new Date(time).toISOString();
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
