import type { Command } from 'commander';
import { changeEntryLines, changesSummaryLine } from '../../report/fleet/changes.ts';
import { fitLines } from '../../report/layout.ts';
import {
  type AdminOptions,
  administering,
  parseCount,
  parseSince,
  withAdminOptions,
} from '../program/admin.ts';
import type { CommandContext } from '../program/context.ts';
import { CommandError } from '../program/errors.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from '../program/output-file.ts';
import { printReports, REPORT_NAMES, type ReportFile, withReports } from '../program/scan-result.ts';
import { interruptible } from '../program/signals.ts';
import { writeParts } from '../program/write-parts.ts';
import {
  jsonLines,
  jsonParts,
  type LabelOptions,
  parseNames,
  reportUnreadable,
  type SeverityOptions,
  withLabel,
  withSeverity,
} from './options.ts';

interface ChangeOptions extends AdminOptions, LabelOptions, SeverityOptions, DestinationOptions {
  readonly since?: number;
  readonly target?: string;
  readonly rule?: readonly string[];
  readonly notes?: boolean;
  readonly limit?: number;
  readonly log?: boolean;
  readonly verbose?: boolean;
  readonly report?: readonly ReportFile[];
}

const administer = administering(async () => (await import('../../commands/fleet/changes.ts')).openChanges);
const administerReports = administering(
  async () => (await import('../../commands/fleet/finding-reports.ts')).openFindingReports,
);

/** Formats of a list of changes. */
const LIST_FORMATS = ['table', 'json', 'ndjson'];

/** Scans that are shown as text. */
const DEFAULT_LIMIT = 100;

const EXAMPLES = `
Examples:
  lockhound changes --since 7d                         what opened, worsened, resolved and reopened
  lockhound changes --since 1d --severity high --label team=web
  lockhound changes --target org/shop                  what the last change brought: new, gone and unchanged
  lockhound changes --target org/shop --since 7d --report html=changes.html
  lockhound changes --target org/shop --since 2026-05-01T08:00Z --log --json

With --target alone it compares what is stored of the target with what it was: before --since, or before the last scan that changed
something. The reports are those of \`lockhound scan --since\`. Otherwise it lists the changes of each scan. Changes are kept for 90
days, the worst 1,000 of each scan.
Exit codes: 0 done, 2 an error or an incomplete result.`;

export function changesCommand(command: Command, context: CommandContext): void {
  const formatted = withReports(withDestinationOptions(withAdminOptions(command, REPORT_NAMES)));
  withSeverity(withLabel(formatted), 'only changes of this severity or a worse one')
    .option('--since <time>', 'a duration before now such as `7d`, or a time; required for lists', parseSince)
    .option('-t, --target <id>', 'compare one target with what it was')
    .option('--log', 'with --target: list the changes of each scan')
    .option('--rule <names>', 'only changes of these rules, separated by commas', parseNames)
    .option('--notes', 'also changes of findings that are only reported')
    .option('--verbose', 'with --target: show everything about each finding')
    .option(
      '--limit <count>',
      `at most this many scans (default: ${DEFAULT_LIMIT}; all with --json)`,
      parseCount,
    )
    .addHelpText('after', EXAMPLES)
    .action((options: ChangeOptions) =>
      withDestination(context.terminal, options, (terminal) => show({ ...context, terminal }, options)),
    );
}

/** A comparison of one target, or a list of changes. Throws `CommandError` (`options-unsuited`). */
async function show(context: CommandContext, options: ChangeOptions): Promise<void> {
  const { target, since, log = false, format, report } = options;
  if (target !== undefined && !log) {
    refuse(options, ['label', 'severity', 'rule', 'notes', 'limit'], 'is for lists: add --log');
    await compare(context, target, options);
    return;
  }
  if (since === undefined)
    throw new CommandError('options-unsuited', '--since <time> is required for a list of changes');
  if (report !== undefined || !LIST_FORMATS.includes(format)) {
    throw new CommandError(
      'options-unsuited',
      `lists have the formats ${LIST_FORMATS.join(', ')}; reports need --target`,
    );
  }
  await list(context, { ...options, since });
}

function refuse(options: ChangeOptions, names: readonly (keyof ChangeOptions)[], why: string): void {
  const [given] = names.filter((name) => options[name] !== undefined);
  if (given !== undefined) throw new CommandError('options-unsuited', `--${given} ${why}`);
}

async function compare(context: CommandContext, target: string, options: ChangeOptions): Promise<void> {
  await administerReports(options, async (admin) => {
    const report = await interruptible((signal) => admin.compare(target, options.since, signal));
    await printReports(context.terminal, report, options);
    reportUnreadable(context, admin.unreadable);
  });
}

async function list(
  context: CommandContext,
  options: ChangeOptions & { readonly since: number },
): Promise<void> {
  const { terminal } = context;
  const { format, target, severity, since, notes, label: labels, rule: rules, limit } = options;
  await administer(options, async (admin) => {
    const found = admin.find({ target, severity, since, notes, labels, rules });
    if (format === 'table') {
      await writeParts(terminal, textParts(found, limit ?? DEFAULT_LIMIT, terminal));
    } else {
      const entries = first(found, limit ?? Number.POSITIVE_INFINITY);
      const from = { since: new Date(since).toISOString() };
      const tail = () => ({ unreadable: admin.unreadable });
      const parts =
        format === 'json'
          ? jsonParts({ schema: 'lockhound.changes-log/1', ...from }, 'scans', entries, tail)
          : jsonLines('changes', { schema: 'lockhound.changes-log-lines/1', ...from }, 'scan', entries, tail);
      await writeParts(terminal, parts);
    }
    reportUnreadable(context, admin.unreadable);
  });
}

async function* first<Item>(items: AsyncIterable<Item>, limit: number): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of items) {
    if (count === limit) return;
    count += 1;
    yield item;
  }
}

type Entry = Parameters<typeof changeEntryLines>[0];

/** Each scan as soon as it is read; beyond the limit they are only counted. */
async function* textParts(
  entries: AsyncIterable<Entry>,
  limit: number,
  options: { readonly colour: boolean; readonly width: number },
): AsyncGenerator<string> {
  let [scans, changes] = [0, 0];
  for await (const entry of entries) {
    scans += 1;
    changes += entry.changes.length;
    if (scans <= limit) yield fitLines(changeEntryLines(entry, options), options);
  }
  yield fitLines([changesSummaryLine({ scans, changes, shown: Math.min(scans, limit) })], options);
}
