import { spawn } from 'node:child_process';

/** Runs a command in a folder; its output is part of the error. Rejects when the exit code is not 0. */
export async function runCommand(
  command: string,
  args: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...environment } });
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.join('').slice(-2_000)}`),
        );
    });
  });
}
