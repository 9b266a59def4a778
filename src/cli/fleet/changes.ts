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
import { writeParts } from '../program/write-parts.ts';
import {
  jsonParts,
  type LabelOptions,
  parseNames,
  reportUnreadable,
  type SeverityOptions,
  withLabel,
  withSeverity,
} from './options.ts';

interface ChangeOptions extends AdminOptions, LabelOptions, SeverityOptions {
  readonly since: number;
  readonly target?: string;
  readonly rule?: readonly string[];
  readonly notes?: boolean;
  readonly limit?: number;
}

const administer = administering(async () => (await import('../../commands/fleet/changes.ts')).openChanges);

/** Scans that are shown as text. */
const DEFAULT_LIMIT = 100;

const EXAMPLES = `
Examples:
  lockhound changes --since 7d                         what opened, worsened, resolved and reopened
  lockhound changes --since 1d --severity high --label team=web
  lockhound changes --since 2026-05-01T08:00Z --target org/shop --json

Changes are kept for 90 days, the worst 1,000 of each scan.
Exit codes: 0 done, 2 an error or an incomplete result.`;

export function changesCommand(command: Command, context: CommandContext): void {
  withSeverity(withLabel(withAdminOptions(command)), 'only changes of this severity or a worse one')
    .requiredOption('--since <time>', 'a duration before now such as `7d`, or a time', parseSince)
    .option('-t, --target <id>', 'only changes of one target')
    .option('--rule <names>', 'only changes of these rules, separated by commas', parseNames)
    .option('--notes', 'also changes of findings that are only reported')
    .option(
      '--limit <count>',
      `at most this many scans (default: ${DEFAULT_LIMIT}; all with --json)`,
      parseCount,
    )
    .addHelpText('after', EXAMPLES)
    .action((options: ChangeOptions) => show(context, options));
}

async function show(context: CommandContext, options: ChangeOptions): Promise<void> {
  const { terminal } = context;
  const { format, label: labels, rule: rules, limit, ...rest } = options;
  await administer(options, async (admin) => {
    const found = admin.find({ ...rest, labels, rules });
    if (format === 'json') {
      const entries = first(found, limit ?? Number.POSITIVE_INFINITY);
      const head = { schema: 'lockhound.changes-log/1', since: new Date(rest.since).toISOString() };
      await writeParts(
        terminal,
        jsonParts(head, 'scans', entries, () => ({ unreadable: admin.unreadable })),
      );
    } else {
      await writeParts(terminal, textParts(found, limit ?? DEFAULT_LIMIT, terminal));
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
