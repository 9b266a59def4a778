import { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { type OutputOptions, withOutputFormat } from './output-format.ts';
import { interruptible } from './signals.ts';
import type { Terminal } from './terminal.ts';

interface EnqueueOptions extends OutputOptions {
  readonly target: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly as?: string;
  readonly scan?: string;
  readonly partial?: boolean;
  readonly config?: string;
}

export function enqueueCommand(terminal: Terminal): Command {
  const command = new Command('enqueue').description(
    'Put lockfiles on the queue for the workers, as other services do.',
  );
  return withOutputFormat(command, 'print JSON')
    .argument('<paths...>', 'lockfiles, or folders that are searched for them')
    .requiredOption('-t, --target <id>', 'what the lockfiles belong to: a repository, a service or an image')
    .option('-l, --label <name=value>', 'label of the target; may be repeated', collectLabel)
    .option('--scan <id>', 'id of the scan; the same id is scanned once (default: made up)')
    .option(
      '--partial',
      'these are only some of the lockfiles of the target: findings in the others stay open',
    )
    .option('--as <name>', 'read every file as this format (`lockhound parse --formats` lists them)')
    .option('-c, --config <file>', 'configuration file')
    .action(async (paths: string[], options: EnqueueOptions) => {
      const { config, format, label, as, target, scan, partial } = options;
      const loaded = loadConfig(config === undefined ? {} : { file: config });
      const { enqueuePaths } = await import('../commands/enqueue.ts');
      const receipt = await interruptible((signal) =>
        enqueuePaths(loaded, {
          paths,
          target,
          labels: label ?? {},
          signal,
          partial: partial === true,
          ...(scan === undefined ? {} : { scan }),
          ...(as === undefined ? {} : { format: as }),
        }),
      );
      terminal.out(
        format === 'json'
          ? `${JSON.stringify(receipt)}\n`
          : `Enqueued scan ${receipt.scan} of ${options.target}: ${receipt.lockfiles.join(', ')}\n`,
      );
    });
}

function collectLabel(text: string, labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [name = '', ...value] = text.split('=');
  return { ...labels, [name]: value.join('=') };
}
