import { type Command, InvalidArgumentError, Option } from 'commander';
import { isFixable } from '../../model/advice/fixable.ts';
import { splitFindings } from '../../model/review/scan-comparison.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { faultsIn } from '../../model/scan/gap.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { atLeast, countedSeverity, RATED_SEVERITIES, type RatedSeverity } from '../../model/scan/severity.ts';
import type { ScanReport, Verdict } from '../../model/scan/verdict.ts';
import { REPORTS } from '../../report/catalog.ts';
import type { TextOptions } from '../../report/layout.ts';
import { EXIT } from './errors.ts';
import type { OutputOptions } from './options.ts';
import { withOutputFile } from './output-file.ts';
import { writeParts } from './process-output.ts';
import type { Terminal } from './terminal.ts';

export interface ResultOptions extends OutputOptions {
  /** Files that are written in addition to the result. */
  readonly report?: readonly ReportFile[];
  /** Show everything about each finding. */
  readonly verbose?: boolean;
  readonly failOn: RatedSeverity | 'any' | 'never';
  readonly exitCodes?: 'simple' | 'extended';
}

export interface ReportFile {
  readonly format: string;
  readonly path: string;
}

/** The formats of a scan. */
export const REPORT_NAMES = REPORTS.map(({ name }) => name);

const FAIL_ON = ['any', ...RATED_SEVERITIES.filter((severity) => severity !== 'none'), 'never'];

export const EXIT_CODES = 'Exit codes: 0 no findings, 1 findings, 2 an error or an incomplete scan.';

/** Adds `--fail-on`. */
export function withFailOn(command: Command): Command {
  return command.addOption(
    new Option('--fail-on <severity>', 'lowest severity that results in exit code 1')
      .choices(FAIL_ON)
      .default('any'),
  );
}

/** Adds `--report`, which can be repeated. */
export function withReports(command: Command): Command {
  return command.option(
    '--report <format=file>',
    `also write a report to a file (${REPORT_NAMES.join(', ')}); can be repeated`,
    collectReport,
  );
}

function collectReport(text: string, before: readonly ReportFile[] = []): readonly ReportFile[] {
  const at = text.indexOf('=');
  const [format, path] = [text.slice(0, at), text.slice(at + 1)];
  if (at > 0 && path !== '' && REPORT_NAMES.includes(format)) return [...before, { format, path }];
  throw new InvalidArgumentError(
    `Expected a format and a file, such as sarif=scan.sarif. Formats: ${REPORT_NAMES.join(', ')}.`,
  );
}

/** How a report is printed, and into which files it is written. */
export type ReportOptions = Pick<ResultOptions, 'format' | 'verbose' | 'report'>;

/** Prints a report, and writes further ones to files. */
export async function printReports(
  terminal: Terminal,
  report: ScanReport,
  { format, verbose = false, report: files = [] }: ReportOptions,
): Promise<void> {
  for (const file of files) {
    await withOutputFile(file.path, async (out) => {
      const width = Number.POSITIVE_INFINITY;
      await print({ out }, report, file.format, { colour: false, width, verbose });
    });
  }
  const { colour, width } = terminal;
  const links = format === 'table' && (await terminal.showsLinks?.()) === true;
  await print(terminal, report, format, { colour, width, links, verbose });
}

/** Prints the report of a scan, writes further reports to files, and returns the exit code. */
export async function printScan(
  terminal: Terminal,
  report: ScanReport,
  options: ResultOptions,
): Promise<number> {
  await printReports(terminal, report, options);
  const { verdict, comparison } = report;
  return scanExitCode({ ...verdict, comparison }, options);
}

/** The exit code of a scan by its findings and gaps. */
export function scanExitCode(
  {
    findings,
    gaps,
    counts,
    comparison,
  }: Pick<Verdict, 'findings' | 'gaps' | 'counts'> & {
    readonly comparison?: ScanReport['comparison'] | undefined;
  },
  { failOn, exitCodes }: Pick<ResultOptions, 'failOn' | 'exitCodes'>,
): number {
  const failing = failingFindings(splitFindings(findings, comparison).counting, failOn);
  const isExtended = exitCodes === 'extended';
  if (failing.length > 0) return isExtended && !failing.some(isFixable) ? EXIT.unfixable : EXIT.findings;
  // An incomplete scan without findings is not clean, nor is one that looked up none of its packages. A comparison is about what is new.
  const { missing, resolved } = counts.outcomes;
  const isUnknown = comparison === undefined && counts.packages > 0 && missing + resolved === 0;
  if (!isUnknown && faultsIn(comparison?.newGaps ?? gaps).length === 0) return EXIT.clean;
  return isExtended ? EXIT.incomplete : EXIT.error;
}

async function print(
  to: Pick<Terminal, 'out' | 'drained'>,
  report: ScanReport,
  format: string,
  options: TextOptions,
): Promise<void> {
  const output = REPORTS.find(({ name }) => name === format);
  await writeParts(to, (await output?.render(report, options)) ?? []);
}

/** Notes and suppressed findings never fail a scan. Unrated findings have their counted severity. */
function failingFindings(findings: readonly Finding[], failOn: ResultOptions['failOn']): readonly Finding[] {
  if (failOn === 'never') return [];
  const alerts = findings.filter(isAlert);
  return alerts.filter((finding) => failOn === 'any' || atLeast(countedSeverity(finding), failOn));
}
