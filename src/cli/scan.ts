import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import type { CacheOptions } from '../compose/look-up-cache.ts';
import { loadOrDefault } from '../config/load-or-default.ts';
import { packageFile } from '../files/package-file.ts';
import { RATED_SEVERITIES, type RatedSeverity } from '../model/scan/severity.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { findingEcosystem } from '../operations/packages/query.ts';
import { withConfig, withOutputFormat } from './program/options.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './program/output-file.ts';
import { progressLine } from './program/progress.ts';
import type { ResultOptions } from './program/scan-result.ts';
import { EXIT_CODES, printScan, REPORT_NAMES, withFailOn, withReports } from './program/scan-result.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface ScanOptions extends ResultOptions, DestinationOptions {
  readonly image?: string;
  readonly platform?: string;
  readonly local?: boolean;
  readonly example?: boolean;
  readonly signals?: boolean;
  /** Unset, as the command is declared after the defaults of `--no-…` are set: on. */
  readonly advice?: boolean;
  readonly target?: string;
  readonly as?: string;
  readonly since?: string;
  readonly baseline?: string;
  readonly config?: string;
  readonly cacheDir?: string;
  readonly cache?: boolean;
  readonly offline?: boolean;
  readonly vex?: readonly string[];
  readonly direct?: boolean;
  readonly ecosystem?: readonly string[];
  readonly severity?: RatedSeverity;
  readonly fixable?: boolean;
  readonly withoutGroups?: readonly string[];
}

/** Requests for advice. `lockhound fix` makes as many as it needs. */
const ADVICE_REQUESTS = 300;

const EXAMPLES = `
Examples:
  lockhound scan                              every lockfile below this folder
  lockhound scan package-lock.json --json     one file, as JSON
  lockhound scan . --fail-on high             exit code 1 only for high and critical findings
  lockhound scan --report sarif=scan.sarif    the table, and a SARIF file for code scanning
  lockhound scan --since main...              only what this branch brings fails
  lockhound scan --baseline accepted.json     only what an earlier report (--report json=…) does not have fails
  lockhound scan . --image image.tar          also which public image it is built on
  lockhound scan --offline                    without network, from the look-ups of earlier scans
  lockhound scan --example                    the bundled example, without network
  lockhound scan --local                      without network, against the bundled data: little more than the example

${EXIT_CODES} With --exit-codes extended: 1 findings that
an upgrade clears, 2 an error, 3 findings that none clears, 4 no findings, but an incomplete scan.`;

export function scanCommand(command: Command, { terminal, exit }: CommandContext): void {
  const formatted = withOutputFormat(command, 'print one JSON document', REPORT_NAMES);
  withConfig(withReports(withFailOn(withDestinationOptions(formatted))))
    .argument('[paths...]', 'lockfiles, or folders that are searched for them (default: this folder)')
    .addOption(
      new Option(
        '--image <path>',
        'a container image: OCI layout folder, OCI archive, or archive of `docker save`',
      ).conflicts('since'),
    )
    .option('--platform <os/arch>', 'of several images in --image, this one (default: linux/amd64)')
    .option('--local', 'use the bundled local service instead of the configured service')
    .addOption(
      new Option('--example', 'scan the example that is bundled with Lockhound, without network')
        .implies({ local: true })
        .conflicts(['image', 'since', 'as']),
    )
    .option('--signals', 'also inspect the youngest 200 packages for signs of a compromised release')
    .option('--target <id>', 'name of the target (default: the name of the folder)')
    .option(
      '--vex <file>',
      'suppress what a VEX document (OpenVEX, CycloneDX) says is not affected; can be repeated',
      (path: string, before: readonly string[] = []) => [...before, path],
    )
    .addOption(filter('--direct', 'no findings in packages that are known to be indirect dependencies'))
    .addOption(filter('--ecosystem <names>', 'only these ecosystems, separated by commas', parseEcosystems))
    .addOption(
      filter('--severity <name>', 'only findings of this severity or a worse one').choices(RATED_SEVERITIES),
    )
    .addOption(
      filter(
        '--without-groups <names>',
        'not packages that are installed in these groups alone, such as dev,test',
        parseNames,
      ),
    )
    .addOption(filter('--fixable', 'only findings that a known upgrade clears'))
    .option('--verbose', 'show everything about each finding: title, names, places, paths')
    .option('--as <name>', 'read every file as this format (`lockhound parse --formats` lists them)')
    .option(
      '--since <range>',
      'compare with a git revision: <ref>, <ref>... or <ref>..<ref> as in `git diff`',
    )
    .addOption(
      new Option('--baseline <file>', 'compare with the JSON report of an earlier scan').conflicts('since'),
    )
    .addOption(
      new Option('--exit-codes <kind>', 'extended: tell findings that can be fixed from others')
        .choices(['simple', 'extended'])
        .default('simple')
        .conflicts('since'),
    )
    .option('--cache-dir <folder>', 'folder of cached look-ups (default: $XDG_CACHE_HOME/lockhound)')
    .option('--no-cache', 'look everything up anew, and store nothing')
    .option('--offline', 'request nothing: use cached look-ups of any age, and say how old they are')
    .option('--no-advice', 'do not compute fixed versions and upgrades')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: ScanOptions) => {
      if (options.example === true && paths.length > 0)
        command.error('error: --example scans its own lockfile: leave the paths out');
      exit(await withDestination(terminal, options, (to) => scan(to, paths, options)));
    });
}

function parseNames(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

function parseEcosystems(text: string): readonly string[] {
  return parseNames(text).map(findingEcosystem);
}

/** An option that leaves findings out. A comparison is about all of them. */
function filter(flags: string, description: string, parse?: (text: string) => unknown): Option {
  const option = new Option(flags, description).conflicts(['since', 'baseline']);
  return parse === undefined ? option : option.argParser(parse);
}

function cacheOf(
  terminal: Terminal,
  { cache, cacheDir, offline = false }: ScanOptions,
): CacheOptions | undefined {
  if (cache === false && !offline) return undefined;
  return { folder: cacheDir, offline, onFault: (message) => terminal.note(`warning: ${message}\n`) };
}

/** The report without what filters leave out, which is counted. */
async function filtered(terminal: Terminal, report: ScanReport, options: ScanOptions): Promise<ScanReport> {
  const { direct, ecosystem: ecosystems, severity, fixable, withoutGroups } = options;
  const { filterReport } = await import('../commands/scanning/filter-report.ts');
  const rest = filterReport(report, { direct, ecosystems, severity, fixable, withoutGroups });
  const omitted = report.verdict.findings.length - rest.verdict.findings.length;
  if (omitted > 0)
    terminal.note(`Filters leave out ${omitted} of ${report.verdict.findings.length} findings.\n`);
  return rest;
}

function pathsOf(paths: readonly string[], { example, image }: ScanOptions): readonly string[] {
  if (example === true) return [fileURLToPath(packageFile('examples/shop'))];
  return paths.length === 0 && image === undefined ? ['.'] : paths;
}

async function scan(terminal: Terminal, paths: readonly string[], options: ScanOptions): Promise<number> {
  const loaded = await loadOrDefault(options.config);
  const progress = progressLine(terminal);
  const { scanPaths } = await import('../commands/scan.ts');
  const { report } = await interruptible((signal) =>
    scanPaths(loaded, {
      ...options,
      paths: pathsOf(paths, options),
      image: options.image === undefined ? undefined : { path: options.image, platform: options.platform },
      local: options.local === true,
      format: options.as,
      signal,
      progress,
      cache: cacheOf(terminal, options),
      adviceRequests: options.advice === false || options.offline === true ? 0 : ADVICE_REQUESTS,
    }),
  ).finally(progress.clear);
  return await printScan(terminal, await filtered(terminal, report, options), options);
}
