import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Times } from './rows.ts';

/** A program that is timed as a whole process. */
export interface Command {
  readonly name: string;
  /** Default: Node. */
  readonly program?: string;
  readonly args: readonly string[];
  /** Variables besides `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before each start and is not timed. */
  prepare?(): void;
}

/** Runs the commands in turn, after one round that is not counted; milliseconds by name and round. */
export async function timeProcesses(commands: readonly Command[], rounds: number): Promise<Times> {
  const times = new Map<string, number[]>(commands.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const command of commands) {
      command.prepare?.();
      const time = await timeOf(command);
      if (round > 0) times.get(command.name)?.push(time);
    }
  }
  return times;
}

/** Output is read, as a pipe does. Rejects on another exit code than 0. */
async function timeOf({ name, program = process.execPath, args, env }: Command): Promise<number> {
  const began = performance.now();
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return performance.now() - began;
}
