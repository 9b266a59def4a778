import { Command, Option } from 'commander';
import { loadConfig } from '../config/load.ts';
import {
  atLeast,
  countedSeverity,
  type Finding,
  RATED_SEVERITIES,
  type RatedSeverity,
} from '../model/finding.ts';
import { REPORTS } from '../report/catalog.ts';
import { EXIT } from './exit-code.ts';
import { type OutputOptions, withOutputFormat } from './output-format.ts';
import { progressLine } from './progress.ts';
import { interruptible } from './signals.ts';
import type { Terminal } from './terminal.ts';

interface ScanOptions extends OutputOptions {
  readonly local?: boolean;
  readonly failOn: RatedSeverity | 'any' | 'never';
  readonly target?: string;
  readonly as?: string;
  readonly config?: string;
}

const FAIL_ON = ['any', ...RATED_SEVERITIES.filter((severity) => severity !== 'none'), 'never'];

const EXAMPLES = `
Examples:
  lockhound scan .                            every lockfile below this folder
  lockhound scan package-lock.json --json     one file, as JSON
  lockhound scan . --fail-on high             exit code 1 only for high and critical findings
  lockhound scan --local examples/shop        without network, against the bundled data

Exit codes: 0 clean, 1 findings, 2 the scan could not be made or could not see everything.`;

export function scanCommand(terminal: Terminal, exit: (code: number) => void): Command {
  const command = new Command('scan').description(
    'Scan lockfiles once, in this process, and print the findings. Nothing is stored, nobody is alerted.',
  );
  return withOutputFormat(command, 'print one JSON document')
    .argument('<paths...>', 'lockfiles, or folders that are searched for them')
    .option('--local', 'ask the bundled local service instead of the configured one')
    .addOption(
      new Option('--fail-on <severity>', 'least severity that makes the exit code 1')
        .choices(FAIL_ON)
        .default('any'),
    )
    .option('--target <id>', 'name of what is scanned (default: the name of the folder)')
    .option('--as <name>', 'read every file as this format (`lockhound parse --formats` lists them)')
    .option('-c, --config <file>', 'configuration file')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: ScanOptions) => exit(await scan(terminal, paths, options)));
}

async function scan(terminal: Terminal, paths: readonly string[], options: ScanOptions): Promise<number> {
  const loaded = loadConfig(options.config === undefined ? {} : { file: options.config });
  const progress = progressLine(terminal);
  // Loaded when it is used: `--help` and errors need none of it.
  const { scanPaths } = await import('../commands/scan.ts');
  const report = await interruptible((signal) =>
    scanPaths(loaded, {
      paths,
      local: options.local === true,
      signal,
      onProgress: progress.update,
      ...(options.target === undefined ? {} : { target: options.target }),
      ...(options.as === undefined ? {} : { format: options.as }),
    }),
  ).finally(progress.clear);
  const output = REPORTS.find(({ name }) => name === options.format);
  terminal.out(output?.render(report, { colour: terminal.colour, width: terminal.width }) ?? '');
  if (fails(report.verdict.findings, options.failOn)) return EXIT.findings;
  // Nothing found in a scan that could not see everything is not clean.
  return report.verdict.gaps.length > 0 ? EXIT.error : EXIT.clean;
}

/** Notes never fail a scan; an unrated finding does as what it counts as. */
function fails(findings: readonly Finding[], failOn: ScanOptions['failOn']): boolean {
  if (failOn === 'never') return false;
  const alerts = findings.filter(({ level }) => level === 'alert');
  return alerts.some((finding) => failOn === 'any' || atLeast(countedSeverity(finding), failOn));
}
