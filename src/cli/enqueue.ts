import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadConfig } from '../config/load.ts';
import { duration } from '../config/values.ts';
import { closing } from '../model/closing.ts';
import type { RawAnswer } from '../operations/operation.ts';
import { followScan } from './follow-scan.ts';
import type { Caller } from './operations/caller.ts';
import { openCaller, withServer } from './operations/open-caller.ts';
import { layoutOf } from './operations/run.ts';
import { CommandError, EXIT } from './program/errors.ts';
import { collectLabel, withConfig, withOutputFormat } from './program/options.ts';
import type { DestinationOptions } from './program/output-file.ts';
import { withDestination, withDestinationOptions, withOutputFile } from './program/output-file.ts';
import { writeParts } from './program/process-output.ts';
import { progressLine } from './program/progress.ts';
import type { ResultOptions } from './program/scan-result.ts';
import { EXIT_CODES, REPORT_NAMES, scanExitCode, withFailOn, withReports } from './program/scan-result.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface EnqueueOptions extends ResultOptions, DestinationOptions {
  readonly target: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly as?: string;
  readonly image?: string;
  readonly platform?: string;
  readonly scan?: string;
  readonly partial?: boolean;
  readonly release?: string;
  readonly supportedUntil?: string;
  readonly wait?: boolean;
  readonly timeout: number;
  readonly config?: string;
  readonly server?: string;
}

const DEFAULT_TIMEOUT_MS = 1_800_000;
/** The longest delay of a timer in Node. */
const MAX_TIMEOUT_MS = 24 * 86_400_000;

const EXAMPLES = `
Examples:
  lockhound enqueue . --target shop                          every lockfile below this folder
  lockhound enqueue . -t shop --wait --fail-on high          wait for the result; exit codes as for \`scan\`
  lockhound enqueue . -t shop --wait --timeout 5m --json     wait at most 5 minutes; print JSON
  lockhound enqueue . -t shop --wait --report html=scan.html  every report of \`scan\`
  lockhound enqueue . -t shop --release 2.4.1 --supported-until 2028-01-01
  lockhound enqueue --image image.tar -t shop                which public image it is built on

${EXIT_CODES} Without --wait: 0 enqueued, 2 an error.`;

export function enqueueCommand(command: Command, { terminal, exit }: CommandContext): void {
  const formatted = withOutputFormat(command, 'print JSON', REPORT_NAMES);
  withServer(withConfig(withReports(withFailOn(withDestinationOptions(formatted)))))
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
    .option(
      '--release <name>',
      'these are the lockfiles of this release: a target of its own, which keeps them',
    )
    .option('--supported-until <date>', 'the last day on which the release is judged, such as 2028-01-01')
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
        // What is wrong with the input is said without a connection.
        const request = await readRequest(paths, options);
        await closing(openCaller(options), async (caller) =>
          exit(await enqueue(to, caller, request, options)),
        );
      }),
    );
}

/** A scan that is not waited for has no report. Throws `CommandError` (`options-unsuited`). */
function requireWait({ wait = false, format, report }: EnqueueOptions): void {
  if (wait || (report === undefined && (format === 'table' || format === 'json'))) return;
  throw new CommandError('options-unsuited', `reports such as ${report?.[0]?.format ?? format} need --wait`);
}

/** Throws `CommandError` (`options-unsuited`). */
function requireInput(
  paths: readonly string[],
  { image, platform, release, supportedUntil }: EnqueueOptions,
): void {
  if (paths.length === 0 && image === undefined) {
    throw new CommandError('options-unsuited', 'name lockfiles or folders, or an image (--image)');
  }
  if (platform !== undefined && image === undefined) {
    throw new CommandError('options-unsuited', '--platform needs --image');
  }
  if (supportedUntil !== undefined && release === undefined) {
    throw new CommandError('options-unsuited', '--supported-until needs --release');
  }
}

/** Reads what is to be scanned. */
async function readRequest(paths: readonly string[], options: EnqueueOptions) {
  const { readSubmittedScan } = await import('../commands/enqueue.ts');
  const { image: path, platform, label: labels = {}, as: format } = options;
  const { maxBytes } = loadConfig({ file: options.config }).config.lockfiles;
  const image = path === undefined ? undefined : { path, platform };
  return await interruptible((signal) =>
    readSubmittedScan({ ...options, paths, image, labels, format, maxBytes, signal }),
  );
}

/** Submits the scan, prints its receipt or its result, and returns the exit code. */
async function enqueue(
  terminal: Terminal,
  caller: Caller,
  request: Awaited<ReturnType<typeof readRequest>>,
  options: EnqueueOptions,
): Promise<number> {
  const { scan } = await caller.call('lockhound.scans.submit', {}, { body: request });
  const names = request.lockfiles.map(({ path }) => path);
  const imageName = request.image?.reference ?? request.image?.digest;
  const what = [...names, ...(imageName === undefined ? [] : [`image ${imageName}`])];
  const text = `Enqueued scan ${scan} of ${request.target}${request.release === undefined ? '' : ` ${request.release}`}: ${what.join(', ')}\n`;
  if (options.wait === true) {
    if (options.quiet !== true) terminal.note(text);
    return await result(terminal, caller, scan, { ...options, hasImage: request.image !== undefined });
  }
  const receipt = { scan, lockfiles: names, image: imageName };
  terminal.out(options.format === 'json' ? `${JSON.stringify(receipt)}\n` : text);
  return EXIT.clean;
}

/** Waits for the scan, prints its result, writes its reports, and returns the exit code. */
async function result(
  terminal: Terminal,
  caller: Caller,
  scan: string,
  { hasImage, timeout: timeoutMs, ...options }: EnqueueOptions & { readonly hasImage: boolean },
): Promise<number> {
  const progress = progressLine(terminal);
  const onSlow = (text: string): void => {
    progress.clear();
    terminal.note(text);
  };
  return await interruptible(async (signal) => {
    const followed = { signal, hasImage, timeoutMs, onProgress: progress.update, onSlow };
    await followScan(caller, scan, followed).finally(progress.clear);
    const reportAs = async (to: Terminal, format: string): Promise<string> => {
      const layout = await layoutOf({ terminal: to }, options);
      const answer = await caller.call('lockhound.scans.report', { scan, format }, { signal, layout });
      return (answer as unknown as RawAnswer).body;
    };
    const plain = { ...terminal, colour: false, width: Number.POSITIVE_INFINITY };
    for (const { format, path } of options.report ?? [])
      await withOutputFile(path, async (out) => out(await reportAs(plain, format)));
    const text = await reportAs(terminal, options.format);
    await writeParts(terminal, [text]);
    const json = options.format === 'json' ? text : await reportAs(plain, 'json');
    return scanExitCode(JSON.parse(json), options);
  });
}

function parseTimeout(text: string): number {
  const parsed = duration.safeParse(text);
  if (parsed.success && parsed.data <= MAX_TIMEOUT_MS) return parsed.data;
  throw new InvalidArgumentError('a duration such as `30s`, `5m` or `2h`, at most `24d`');
}
