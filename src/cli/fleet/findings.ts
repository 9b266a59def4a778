import { type Command, Option } from 'commander';
import type { FindingFilter } from '../../commands/fleet/findings.ts';
import { findingListText } from '../../report/fleet/findings.ts';
import {
  type AdminOptions,
  administering,
  parseCount,
  parseSince,
  withAdminOptions,
} from '../program/admin.ts';
import type { CommandContext } from '../program/context.ts';
import { writeParts } from '../program/write-parts.ts';
import {
  ECOSYSTEM_HELP,
  jsonParts,
  type LabelOptions,
  parseNames,
  reportUnreadable,
  type SeverityOptions,
  withLabel,
  withSeverity,
} from './options.ts';

interface FindingOptions extends AdminOptions, LabelOptions, SeverityOptions {
  readonly target?: string;
  readonly rule?: readonly string[];
  readonly state: FindingFilter['state'];
  readonly ecosystem?: string;
  readonly direct?: boolean;
  readonly withoutGroups?: readonly string[];
  readonly since?: number;
  readonly notes?: boolean;
  readonly verbose?: boolean;
  readonly limit?: number;
}

const administer = administering(async () => (await import('../../commands/fleet/findings.ts')).openFindings);

/** Issues that are shown as text. */
const DEFAULT_LIMIT = 50;

const EXAMPLES = `
Examples:
  lockhound findings --severity high                   severe open findings of all targets, by issue
  lockhound findings --target org/shop --state all     everything about one target
  lockhound findings --rule vulnerability --since 1d   what opened or changed in the last day
  lockhound findings --json --label team=web           for programs: the worst 50,000 at most

Exit codes: 0 done, 2 an error, no such target, or an incomplete result.`;

export function findingsCommand(command: Command, context: CommandContext): void {
  withSeverity(withLabel(withAdminOptions(command)), 'only findings of this severity or a worse one')
    .option('-t, --target <id>', 'only findings of one target')
    .option('--rule <names>', 'only findings of these rules, separated by commas', parseNames)
    .addOption(
      new Option('--state <name>', 'state of the findings')
        .choices(['open', 'suppressed', 'resolved', 'all'])
        .default('open'),
    )
    .option('--ecosystem <name>', ECOSYSTEM_HELP)
    .option('--direct', 'only findings in direct dependencies')
    .option(
      '--without-groups <names>',
      'not packages that are installed in these groups alone, such as dev,test',
      parseNames,
    )
    .option(
      '--since <time>',
      'only what opened or changed since: a duration such as `2d`, or a time',
      parseSince,
    )
    .option('--verbose', 'show everything about each finding: title, names, places, paths')
    .option('--notes', 'also findings that are only reported')
    .option(
      '--limit <count>',
      `at most this many issues (default: ${DEFAULT_LIMIT}), or findings with --json`,
      parseCount,
    )
    .addHelpText('after', EXAMPLES)
    .action((options: FindingOptions) => find(context, options));
}

async function find(context: CommandContext, options: FindingOptions): Promise<void> {
  const { terminal } = context;
  const { format, label: labels, rule: rules, limit, ecosystem: named, verbose = false, ...rest } = options;
  const { purlTypeNamed } = await import('../../commands/fleet/package-query.ts');
  const ecosystem = named === undefined ? undefined : purlTypeNamed(named);
  await administer(options, async (admin) => {
    const asJson = format === 'json';
    const found = await admin.find({ ...rest, labels, rules, ecosystem }, asJson ? limit : undefined);
    if (asJson) {
      const { findings, total } = found;
      const head = { schema: 'lockhound.findings/1', total, omitted: total - findings.length };
      const parts = jsonParts(head, 'findings', findings, () => ({ unreadable: admin.unreadable }));
      await writeParts(terminal, parts);
    } else {
      const { colour, width } = terminal;
      const text = { colour, width, verbose, links: (await terminal.showsLinks?.()) === true };
      terminal.out(findingListText({ ...found, limit: limit ?? DEFAULT_LIMIT }, text));
    }
    reportUnreadable(context, admin.unreadable);
  });
}
