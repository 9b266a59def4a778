import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const start = promisify(execFile);
const TIME_LIMIT_MS = 600_000;

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end, whatever its exit code. Rejects when it cannot be started or takes more than ten minutes. */
export async function run(
  folder: string,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const options = {
    cwd: folder,
    env: { ...process.env, ...environment },
    maxBuffer: 256 << 20,
    timeout: TIME_LIMIT_MS,
  };
  try {
    const { stdout, stderr } = await start(program, args, options);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { code, out: stdout, err: stderr };
  }
}

/** Like `run`; throws with the last lines of its messages when the program fails. */
export async function succeed(...call: Parameters<typeof run>): Promise<string> {
  const { code, out, err } = await run(...call);
  if (code === 0) return out;
  const [folder, program, args] = call;
  const last = `${err}\n${out}`.trim().split('\n').slice(0, 12).join('\n');
  throw new Error(`${program} ${args.join(' ')} in ${folder} failed with ${code}:\n${last}`);
}
