import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { loadOrDefault } from '../config/load-or-default.ts';
import type { PackageChecks } from '../model/api/lockhound-api.generated.ts';
import { splitFindings } from '../model/review/scan-comparison.ts';
import type { Finding } from '../model/scan/finding.ts';
import { isComplete } from '../model/scan/gap.ts';
import { isAlert } from '../model/scan/is-alert.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { checksText } from '../report/gate-text.ts';
import { fixCommandOf } from './ci-fix.ts';
import { EXIT } from './program/errors.ts';
import { withConfig } from './program/options.ts';
import { withOutputFile } from './program/output-file.ts';
import { progressLine } from './program/progress.ts';
import { EXIT_CODES, printScan, type ResultOptions, withFailOn } from './program/scan-result.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface GithubOptions {
  readonly config?: string;
  readonly target?: string;
  readonly failOn: ResultOptions['failOn'];
  readonly compare: 'auto' | 'never';
  readonly cacheDir?: string;
  readonly output: string;
  readonly comment?: boolean;
  readonly upload?: boolean;
  readonly local?: boolean;
}

const HELP = `
Reads the event of the job, scans the checkout, and compares it with the base of the pull request or the commit before the push.
Writes scan.sarif, comment.md and scan.json into --output, uploads the first to code scanning, keeps one comment in the pull request
up to date, and sets the outputs exit-code, findings, known, gone, gaps, blocked and warned. GITHUB_TOKEN is the only secret.

${EXIT_CODES} With a comparison, new findings alone count, and the
packages that the change adds are checked as by \`lockhound check\`: one that \`policy.gate\` blocks results in 1.`;

export function ciCommand(command: Command, context: CommandContext): void {
  fixCommandOf(command, context);
  const github = command
    .command('github')
    .description('Scan in a job of GitHub Actions; action.yml calls it.');
  withConfig(withFailOn(github))
    .argument('[paths...]', 'lockfiles, or folders that are searched for them', ['.'])
    .option('--target <id>', 'name of the target (default: the repository)')
    .addOption(
      new Option('--compare <when>', 'compare with the base of the change, or report everything')
        .choices(['auto', 'never'])
        .default('auto'),
    )
    .option('--output <folder>', 'folder of the reports', '.')
    .option('--cache-dir <folder>', 'folder of cached look-ups')
    .option('--no-comment', 'write no comment')
    .option('--no-upload', 'upload no SARIF file')
    .option('--local', 'use the bundled data instead of the configured service')
    .addHelpText('after', HELP)
    .action(async (paths: string[], options: GithubOptions) =>
      context.exit(await interruptible((signal) => inGithub(context.terminal, paths, options, signal))),
    );
}

async function inGithub(
  terminal: Terminal,
  paths: readonly string[],
  options: GithubOptions,
  signal: AbortSignal,
): Promise<number> {
  const { githubEnvironment } = await import('../config/github-environment.ts');
  const { readGithubEvent } = await import('../commands/ci/github-event.ts');
  const { baseCommit } = await import('../commands/ci/base-commit.ts');
  const { showOnGithub } = await import('../commands/ci/show-on-github.ts');
  const { scanPaths } = await import('../commands/scan.ts');
  const environment = githubEnvironment();
  const event = await readGithubEvent(environment.eventPath);
  const since = options.compare === 'never' ? undefined : await baseCommit(event, environment, signal);
  const warn = (text: string): void => terminal.out(`::warning title=Lockhound::${escaped(text)}\n`);
  if (since === undefined && options.compare === 'auto' && event.bases.length > 0) {
    warn(
      'the clone has no commit to compare with, or its base is what is checked out: all findings count (actions/checkout needs fetch-depth: 2)',
    );
  }
  const target = options.target ?? environment.repository;
  const loaded = await loadOrDefault(options.config);
  const common = {
    ...{ local: options.local === true, target, signal },
    cache: { folder: options.cacheDir, onFault: warn },
  };
  const { report, added = [] } = await scanPaths(loaded, {
    ...{ ...common, paths, since },
    progress: progressLine(terminal),
  });
  const { checkAdded } = await import('../commands/check.ts');
  const gate = await checkAdded(loaded, added, common);
  const texts = await textsOf(report, gate);
  for (const [name, text] of Object.entries(texts)) {
    await withOutputFile(join(options.output, name), async (write) => write(text));
  }
  // GitHub takes a line that begins with `::` as a command, and names and paths are from outside.
  const token = randomUUID();
  terminal.out(`::stop-commands::${token}\n`);
  const scanned = await printScan(terminal, report, { format: 'table', failOn: options.failOn });
  if (gate !== undefined) terminal.out(checksText(gate, terminal));
  terminal.out(`::${token}::\n`);
  const { block: blocked = 0, warn: warned = 0 } = gate?.counts ?? {};
  const code = blocked > 0 && options.failOn !== 'never' ? EXIT.findings : scanned;
  const isUpload = options.upload !== false;
  const closesUnknown = isUpload && mayCloseUnknown(report);
  if (closesUnknown)
    warn(
      'the SARIF file is not uploaded: code scanning would close alerts as fixed that the gaps of this scan hide',
    );
  const shown = {
    target,
    sarif: texts['scan.sarif'],
    markdown: texts['comment.md'],
    isNotable: code !== 0 || blocked + warned > 0 || (report.comparison?.gone.length ?? 0) > 0,
    uploads: isUpload && !closesUnknown,
    comments: options.comment !== false,
  };
  if (shown.uploads || shown.comments) {
    for (const warning of await showOnGithub(environment, event, shown, signal)) warn(warning);
  }
  const { outputFile, summaryFile } = environment;
  if (outputFile !== undefined) appendFileSync(outputFile, outputsOf(report, { code, blocked, warned }));
  if (summaryFile !== undefined) appendFileSync(summaryFile, `${texts['comment.md']}\n`);
  return code;
}

/** Whether alerts may be missing only because look-ups failed or a changed lockfile was not read. What is never read hides no alert. */
function mayCloseUnknown({ verdict, comparison }: ScanReport): boolean {
  const isFault = verdict.gaps.some(({ kind }) => kind === 'package' || kind === 'service');
  return isFault || !isComplete(comparison?.newGaps ?? []);
}

async function textsOf(report: ScanReport, gate: PackageChecks | undefined) {
  const [{ REPORTS }, { renderMarkdown }] = await Promise.all([
    import('../report/catalog.ts'),
    import('../report/markdown.ts'),
  ]);
  const text = async (format: string): Promise<string> => {
    const parts = await REPORTS.find(({ name }) => name === format)?.render(report, {
      colour: false,
      width: Number.POSITIVE_INFINITY,
    });
    return [...(parts ?? [])].join('');
  };
  return {
    'scan.sarif': await text('sarif'),
    'comment.md': renderMarkdown(report, gate),
    'scan.json': await text('json'),
  };
}

/** Numbers only, so that nothing from outside can set another output. */
function outputsOf(
  { verdict, comparison }: ScanReport,
  { code, ...gate }: { readonly code: number; readonly blocked: number; readonly warned: number },
): string {
  const { counting, known } = splitFindings(verdict.findings, comparison);
  const gaps = comparison?.newGaps ?? verdict.gaps;
  const alertsIn = (findings: readonly Finding[]): number => findings.filter(isAlert).length;
  const outputs = {
    'exit-code': code,
    findings: alertsIn(counting),
    known: alertsIn(known),
    gone: alertsIn(comparison?.gone ?? []),
    gaps: gaps.length,
    ...gate,
  };
  return Object.entries(outputs)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** A workflow command is one line; GitHub decodes these. */
function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
