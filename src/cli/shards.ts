import { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { print } from './program/admin.ts';
import type { ConfigOptions, OutputOptions } from './program/options.ts';
import { wholeNumber, withConfig, withOutputFormat } from './program/options.ts';
import { progressLine } from './program/progress.ts';
import { type CommandContext, interruptible } from './program/terminal.ts';

const NOTES = `
Stop all workers first. Redis needs memory for a second copy of what is stored. After an interruption run the command again: no
worker starts before. With the old number it deletes the copies instead. Afterwards set redis.shards to the new number and start
the workers.

Exit codes: 0 done, 2 workers run or an error.`;

const MAX_SHARDS = 256;

export function shardsCommand(command: Command, { terminal }: CommandContext): void {
  command.addCommand(
    withConfig(withOutputFormat(new Command('move'), 'print JSON'))
      .description('Spread all targets over another number of shards (redis.shards).')
      .argument('<number>', `new number of shards, 1 to ${MAX_SHARDS}`, wholeNumber(1, MAX_SHARDS))
      .addHelpText('after', NOTES)
      .action(async (to: number, { config, ...output }: ConfigOptions & OutputOptions) => {
        const loaded = loadConfig({ file: config });
        const { moveShards } = await import('../commands/shards/move-shards.ts');
        const progress = progressLine(terminal);
        const onProgress = progress.update;
        const result = await interruptible((signal) =>
          moveShards(loaded, { to, signal, onProgress }),
        ).finally(progress.clear);
        print(terminal, output, result);
      }),
  );
}
