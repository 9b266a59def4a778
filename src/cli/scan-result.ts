import { type Command, Option } from 'commander';
import {
  atLeast,
  countedSeverity,
  type Finding,
  RATED_SEVERITIES,
  type RatedSeverity,
} from '../model/scan/finding.ts';
import type { ScanReport } from '../model/scan/scan-report.ts';
import { REPORTS } from '../report/catalog.ts';
import { EXIT } from './exit-code.ts';
import type { OutputOptions } from './output-format.ts';
import type { Terminal } from './terminal.ts';

export interface ResultOptions extends OutputOptions {
  readonly failOn: RatedSeverity | 'any' | 'never';
}

const FAIL_ON = ['any', ...RATED_SEVERITIES.filter((severity) => severity !== 'none'), 'never'];

export const EXIT_CODES =
  'Exit codes: 0 clean, 1 findings, 2 the scan could not be made or could not see everything.';

/** Adds `--fail-on`. */
export function withFailOn(command: Command): Command {
  return command.addOption(
    new Option('--fail-on <severity>', 'least severity that makes the exit code 1')
      .choices(FAIL_ON)
      .default('any'),
  );
}

/** Prints a scan's report, and gives the exit code that it stands for. */
export function printScan(terminal: Terminal, report: ScanReport, { format, failOn }: ResultOptions): number {
  const output = REPORTS.find(({ name }) => name === format);
  terminal.out(output?.render(report, { colour: terminal.colour, width: terminal.width }) ?? '');
  if (fails(report.verdict.findings, failOn)) return EXIT.findings;
  // Nothing found in a scan that could not see everything is not clean.
  return report.verdict.gaps.length > 0 ? EXIT.error : EXIT.clean;
}

/** Notes never fail a scan; an unrated finding does as what it counts as. */
function fails(findings: readonly Finding[], failOn: ResultOptions['failOn']): boolean {
  if (failOn === 'never') return false;
  const alerts = findings.filter(({ level }) => level === 'alert');
  return alerts.some((finding) => failOn === 'any' || atLeast(countedSeverity(finding), failOn));
}
