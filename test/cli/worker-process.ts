import { spawn } from 'node:child_process';
import { bareEnvironment } from '../bare-environment.ts';
import { MAIN } from '../prepare.ts';

/** Runs `lockhound worker` in a separate process until it ends; it gets a signal as soon as it is ready. `output`: of both streams. */
export async function runWorkerUntilReady(
  cwd: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [MAIN, 'worker', ...args], {
    cwd,
    env: { ...bareEnvironment(), ...environment },
  });
  let output = '';
  let asked = false;
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    // Once, because a second signal ends it immediately.
    if (!asked && output.includes('worker ready')) asked = child.kill('SIGTERM');
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}
