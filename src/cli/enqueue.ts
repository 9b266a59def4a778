import { type Command, InvalidArgumentError, Option } from 'commander';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { duration } from '../config/values.ts';
import { imageScanOf } from '../model/image/image-scan.ts';
import type { CommandContext } from './program/context.ts';
import { CommandError } from './program/errors.ts';
import { collectLabel, withConfig, withOutputFormat } from './program/options.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './program/output-file.ts';
import { progressLine } from './program/progress.ts';
import {
  EXIT_CODES,
  printScan,
  REPORT_NAMES,
  type ResultOptions,
  withFailOn,
  withReports,
} from './program/scan-result.ts';
import { interruptible } from './program/signals.ts';
import type { Terminal } from './program/terminal.ts';

interface EnqueueOptions extends ResultOptions, DestinationOptions {
  readonly target: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly as?: string;
  readonly image?: string;
  readonly platform?: string;
  readonly scan?: string;
  readonly partial?: boolean;
  readonly wait?: boolean;
  readonly timeout: number;
  readonly config?: string;
}

const DEFAULT_TIMEOUT_MS = 1_800_000;

const EXAMPLES = `
Examples:
  lockhound enqueue . --target shop                          every lockfile below this folder
  lockhound enqueue . -t shop --wait --fail-on high          wait for the result; exit codes as for \`scan\`
  lockhound enqueue . -t shop --wait --timeout 5m --json     wait at most 5 minutes; print JSON
  lockhound enqueue . -t shop --wait --report html=scan.html  every report of \`scan\`
  lockhound enqueue --image image.tar -t shop                which public image it is built on

${EXIT_CODES} Without --wait: 0 enqueued, 2 an error.`;

export function enqueueCommand(command: Command, { terminal, exit }: CommandContext): void {
  const formatted = withOutputFormat(command, 'print JSON', REPORT_NAMES);
  withConfig(withReports(withFailOn(withDestinationOptions(formatted))))
    .argument('[paths...]', 'lockfiles, or folders that are searched for them')
    .requiredOption('-t, --target <id>', 'target of the lockfiles: a repository, a service or an image')
    .option('-l, --label <name=value>', 'label of the target; can be repeated', collectLabel)
    .option(
      '--image <path>',
      'the container image: OCI layout folder, OCI archive, or archive of `docker save`',
    )
    .option('--platform <os/arch>', 'of several images in --image, this one (default: linux/amd64)')
    .option('--scan <id>', 'id of the scan; an id of a target is scanned once (default: a new id)')
    .option('--partial', 'these are not all lockfiles of the target; findings in others stay open')
    .option('--as <name>', 'read every file as this format (`lockhound parse --formats` lists them)')
    .option('-w, --wait', 'wait for the scan and print its result')
    .addOption(
      new Option('--timeout <duration>', 'limit of --wait')
        .default(DEFAULT_TIMEOUT_MS, '30m')
        .argParser(parseTimeout),
    )
    .addHelpText('after', EXAMPLES)
    .action((paths: string[], options: EnqueueOptions) =>
      withDestination(terminal, options, async (to) => {
        requireWait(options);
        requireInput(paths, options);
        const loaded = loadConfig({ file: options.config });
        const receipt = await enqueue(loaded, paths, options);
        const { scan, lockfiles, image } = receipt;
        const what = [...lockfiles, ...(image === undefined ? [] : [`image ${image}`])];
        const text = `Enqueued scan ${scan} of ${options.target}: ${what.join(', ')}\n`;
        if (options.wait === true) {
          if (options.quiet !== true) to.note(text);
          const imageScan = lockfiles.length === 0 ? scan : imageScanOf(scan);
          return exit(await result(to, loaded, scan, options, image && imageScan));
        }
        to.out(options.format === 'json' ? `${JSON.stringify(receipt)}\n` : text);
      }),
    );
}

/** A scan that is not waited for has no report. Throws `CommandError` (`options-unsuited`). */
function requireWait({ wait = false, format, report }: EnqueueOptions): void {
  if (wait || (report === undefined && (format === 'table' || format === 'json'))) return;
  throw new CommandError('options-unsuited', `reports such as ${report?.[0]?.format ?? format} need --wait`);
}

/** Throws `CommandError` (`options-unsuited`). */
function requireInput(paths: readonly string[], { image, platform }: EnqueueOptions): void {
  if (paths.length === 0 && image === undefined) {
    throw new CommandError('options-unsuited', 'name lockfiles or folders, or an image (--image)');
  }
  if (platform !== undefined && image === undefined) {
    throw new CommandError('options-unsuited', '--platform needs --image');
  }
}

async function enqueue(
  loaded: LoadedConfig,
  paths: readonly string[],
  { target, label: labels = {}, image, platform, scan, as, partial = false }: EnqueueOptions,
) {
  const { enqueuePaths } = await import('../commands/enqueue.ts');
  return await interruptible((signal) =>
    enqueuePaths(loaded, {
      paths,
      image: image === undefined ? undefined : { path: image, platform },
      target,
      labels,
      signal,
      partial,
      scan,
      format: as,
    }),
  );
}

/** Waits for the scan, prints its result and returns the exit code. */
async function result(
  terminal: Terminal,
  loaded: LoadedConfig,
  scan: string,
  options: EnqueueOptions,
  image: string | undefined,
): Promise<number> {
  const { followScan } = await import('../commands/scanning/follow-scan.ts');
  const progress = progressLine(terminal);
  const report = await interruptible((signal) =>
    followScan(loaded, scan, {
      signal,
      image,
      timeoutMs: options.timeout,
      onProgress: progress.update,
      onSlow(text) {
        progress.clear();
        terminal.note(text);
      },
    }),
  ).finally(progress.clear);
  return await printScan(terminal, report, options);
}

function parseTimeout(text: string): number {
  const parsed = duration.safeParse(text);
  if (parsed.success && parsed.data <= MAX_TIMEOUT_MS) return parsed.data;
  throw new InvalidArgumentError('a duration such as `30s`, `5m` or `2h`, at most `24d`');
}

/** Longest delay of a timer in Node. */
const MAX_TIMEOUT_MS = 24 * 86_400_000;
