import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';
import type { Environment } from './tools.ts';

/** How far a script came. */
export interface Applied {
  readonly succeeded: boolean;
  /** The last lines of its messages. */
  readonly messages: string;
}

/** Runs advised commands as one script that ends at the first error. */
export async function apply(
  folder: string,
  commands: readonly string[],
  environment: Environment,
): Promise<Applied> {
  const script = join(folder, '..', 'fix.sh');
  await writeFile(script, ['set -e', ...commands, ''].join('\n'));
  const { code, out, err } = await run(folder, 'sh', [script], environment);
  return { succeeded: code === 0, messages: `${out}\n${err}`.trim().split('\n').slice(-12).join('\n') };
}
