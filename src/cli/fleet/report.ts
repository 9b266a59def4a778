import type { Command } from 'commander';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { type AdminOptions, administering, present, withAdminOptions } from '../program/admin.ts';
import type { CommandContext } from '../program/context.ts';
import { CommandError } from '../program/errors.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from '../program/output-file.ts';
import { printReports, REPORT_NAMES, type ReportOptions, withReports } from '../program/scan-result.ts';
import { interruptible } from '../program/signals.ts';
import { reportUnreadable } from './options.ts';

interface Options extends AdminOptions, DestinationOptions, ReportOptions {
  readonly target?: string;
}

const administerScan = administering(
  async () => (await import('../../commands/scanning/scan-report.ts')).openScanReports,
);
const administerStored = administering(
  async () => (await import('../../commands/fleet/finding-reports.ts')).openFindingReports,
);

const EXAMPLES = `
Examples:
  lockhound report 5f0c… --format sarif --output scan.sarif     a scan of the last 15 minutes
  lockhound report --target org/shop --report html=shop.html    what is stored of a target, at any time

\`lockhound findings\` reports several targets and filters them.
Exit codes: 0 done, 2 an error, no such scan or target, or a report that has expired.`;

export function reportCommand(command: Command, context: CommandContext): void {
  withReports(withDestinationOptions(withAdminOptions(command, REPORT_NAMES)))
    .argument('[scan]', 'id of a scan that workers concluded less than 15 minutes ago')
    .option('-t, --target <id>', 'in place of a scan: what is stored of this target')
    .option('--verbose', 'show everything about each finding: title, names, places, paths')
    .addHelpText('after', EXAMPLES)
    .action((scan: string | undefined, options: Options) =>
      withDestination(context.terminal, options, async (terminal) => {
        const print = (report: ScanReport) => printReports(terminal, report, options);
        const { target } = options;
        if ((scan === undefined) === (target === undefined))
          throw new CommandError('options-unsuited', 'name either a scan or a --target');
        if (target === undefined) await ofScan(scan ?? '', options, print);
        else await ofTarget({ ...context, terminal }, target, options, print);
      }),
    );
}

type Print = (report: ScanReport) => Promise<void>;

async function ofScan(scan: string, options: Options, print: Print): Promise<void> {
  await administerScan(options, async (admin) => {
    const found = await interruptible((signal) => admin.find(scan, signal));
    await print(present(found, `there is no scan ${scan}: see \`lockhound scans list\``));
  });
}

async function ofTarget(
  context: CommandContext,
  target: string,
  options: Options,
  print: Print,
): Promise<void> {
  await administerStored(options, async (admin) => {
    await print(await interruptible((signal) => admin.open(target, signal)));
    reportUnreadable(context, admin.unreadable);
  });
}
