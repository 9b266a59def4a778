import { type Command, Option } from 'commander';
import {
  atLeast,
  countedSeverity,
  type Finding,
  RATED_SEVERITIES,
  type RatedSeverity,
} from '../model/scan/finding.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { REPORTS } from '../report/catalog.ts';
import { EXIT } from './exit-code.ts';
import type { OutputOptions } from './options.ts';
import type { Terminal } from './terminal.ts';

export interface ResultOptions extends OutputOptions {
  readonly failOn: RatedSeverity | 'any' | 'never';
}

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

/** Prints the report of a scan and returns its exit code. */
export async function printScan(
  terminal: Terminal,
  report: ScanReport,
  { format, failOn }: ResultOptions,
): Promise<number> {
  const output = REPORTS.find(({ name }) => name === format);
  const parts = output?.render(report, { colour: terminal.colour, width: terminal.width }) ?? [];
  await writeParts(terminal, parts);
  if (fails(report.verdict.findings, failOn)) return EXIT.findings;
  // An incomplete scan without findings is not clean.
  return report.verdict.gaps.length > 0 ? EXIT.error : EXIT.clean;
}

const WRITE_CHARACTERS = 65_536;

/** Writes parts together, and waits while the reader is slower: a whole report takes several megabytes. */
async function writeParts(terminal: Terminal, parts: Iterable<string>): Promise<void> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < WRITE_CHARACTERS) continue;
    terminal.out(text);
    text = '';
    await terminal.drained?.();
  }
  terminal.out(text);
}

/** Notes never fail a scan. Unrated findings have their counted severity. */
function fails(findings: readonly Finding[], failOn: ResultOptions['failOn']): boolean {
  if (failOn === 'never') return false;
  const alerts = findings.filter(({ level }) => level === 'alert');
  return alerts.some((finding) => failOn === 'any' || atLeast(countedSeverity(finding), failOn));
}
