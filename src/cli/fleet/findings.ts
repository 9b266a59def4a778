import { type Command, Option } from 'commander';
import type { FindingFilter } from '../../commands/fleet/findings.ts';
import { findingListText } from '../../report/findings.ts';
import {
  type AdminOptions,
  administering,
  parseCount,
  parseSince,
  withAdminOptions,
} from '../program/admin.ts';
import type { CommandContext } from '../program/context.ts';
import {
  type DestinationOptions,
  withDestination,
  withDestinationOptions,
  withOutputFile,
} from '../program/output-file.ts';
import { printReports, REPORT_NAMES, type ReportFile, withReports } from '../program/scan-result.ts';
import { interruptible } from '../program/signals.ts';
import { writeParts } from '../program/write-parts.ts';
import {
  ECOSYSTEM_HELP,
  jsonLines,
  jsonParts,
  type LabelOptions,
  parseNames,
  reportUnreadable,
  type SeverityOptions,
  withLabel,
  withSeverity,
} from './options.ts';

interface FindingOptions extends AdminOptions, LabelOptions, SeverityOptions, DestinationOptions {
  readonly target?: string;
  readonly rule?: readonly string[];
  readonly state: FindingFilter['state'];
  readonly ecosystem?: string;
  readonly direct?: boolean;
  readonly fixable?: boolean;
  readonly withoutGroups?: readonly string[];
  readonly since?: number;
  readonly notes?: boolean;
  readonly verbose?: boolean;
  readonly limit?: number;
  readonly report?: readonly ReportFile[];
}

const administer = administering(async () => (await import('../../commands/fleet/findings.ts')).openFindings);
const administerReports = administering(
  async () => (await import('../../commands/fleet/finding-reports.ts')).openFindingReports,
);

/** Formats that lists of findings have of their own. */
const LIST_FORMATS = ['table', 'json', 'ndjson'];

/** Issues that are shown as text. */
const DEFAULT_LIMIT = 50;

const EXAMPLES = `
Examples:
  lockhound findings --severity high                   severe open findings of all targets, by issue
  lockhound findings --target org/shop --state all     everything about one target
  lockhound findings --rule vulnerability --since 1d   what opened or changed in the last day
  lockhound findings --json --label team=web           for programs: the worst 50,000 at most
  lockhound findings --target org/shop --format sarif  a report as of a scan, from what is stored
  lockhound findings --report html=fleet.html          the list, and a report in a file

Reports other than the table, JSON and NDJSON also contain the packages of these targets.
Exit codes: 0 done, 2 an error, no such target, or an incomplete result.`;

export function findingsCommand(command: Command, context: CommandContext): void {
  const formatted = withReports(withDestinationOptions(withAdminOptions(command, REPORT_NAMES)));
  withSeverity(withLabel(formatted), 'only findings of this severity or a worse one')
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
    .option('--fixable', 'only findings that a known upgrade clears')
    .option('--verbose', 'show everything about each finding: title, names, places, paths')
    .option('--notes', 'also findings that are only reported')
    .option(
      '--limit <count>',
      `at most this many issues (default: ${DEFAULT_LIMIT}), or findings with --json`,
      parseCount,
    )
    .addHelpText('after', EXAMPLES)
    .action((options: FindingOptions) =>
      withDestination(context.terminal, options, (terminal) => show({ ...context, terminal }, options)),
    );
}

/** Files are written first. Lists have their own forms of the table, JSON and NDJSON; other reports are those of a scan. */
async function show(context: CommandContext, options: FindingOptions): Promise<void> {
  const { format, report: files = [] } = options;
  const filter = await filterOf(options);
  for (const file of files) {
    await withOutputFile(file.path, async (out) => {
      const to = { ...context.terminal, out, colour: false, width: Number.POSITIVE_INFINITY };
      await showAs({ ...context, terminal: to }, file.format, filter, options);
    });
  }
  await showAs(context, format, filter, options);
}

async function filterOf({
  label: labels,
  rule: rules,
  ecosystem: named,
  ...rest
}: FindingOptions): Promise<FindingFilter> {
  const { purlTypeNamed } = await import('../../operations/packages/query.ts');
  const ecosystem = named === undefined ? undefined : purlTypeNamed(named);
  const { target, state, direct, withoutGroups, severity, since, notes } = rest;
  return { target, state, direct, withoutGroups, severity, since, notes, labels, rules, ecosystem };
}

async function showAs(
  context: CommandContext,
  format: string,
  filter: FindingFilter,
  options: FindingOptions,
): Promise<void> {
  if (LIST_FORMATS.includes(format)) await list(context, format, filter, options);
  else await report(context, format, filter, options);
}

async function report(
  context: CommandContext,
  format: string,
  filter: FindingFilter,
  options: FindingOptions,
): Promise<void> {
  await administerReports(options, async (admin) => {
    const found = await interruptible((signal) => admin.find(filter, signal));
    if (found.omitted > 0)
      context.terminal.note(`The report has the worst findings; ${found.omitted} are left out.\n`);
    await printReports(context.terminal, found.report, { format });
    reportUnreadable(context, admin.unreadable);
  });
}

async function list(
  context: CommandContext,
  format: string,
  filter: FindingFilter,
  options: FindingOptions,
): Promise<void> {
  const { terminal } = context;
  const { limit, verbose = false } = options;
  await administer(options, async (admin) => {
    const found = await admin.find(filter, format === 'table' ? undefined : limit);
    const { findings, total } = found;
    const counts = { total, omitted: total - findings.length };
    if (format === 'table') {
      const { colour, width } = terminal;
      const text = { colour, width, verbose, links: (await terminal.showsLinks?.()) === true };
      terminal.out(findingListText({ ...found, limit: limit ?? DEFAULT_LIMIT }, text));
    } else if (format === 'json') {
      const head = { schema: 'lockhound.findings/1', ...counts };
      await writeParts(
        terminal,
        jsonParts(head, 'findings', findings, () => ({ unreadable: admin.unreadable })),
      );
    } else {
      const head = { schema: 'lockhound.finding-lines/1', ...counts };
      const tail = { findings: findings.length, unreadable: admin.unreadable };
      await writeParts(
        terminal,
        jsonLines('findings', head, 'finding', findings, () => tail),
      );
    }
    reportUnreadable(context, admin.unreadable);
  });
}
