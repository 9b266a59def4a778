import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment, ManagerName } from './project.ts';
import { succeed } from './run.ts';

const SHARED = ['pnpm@10', 'yarn@1'];
const MODERN = '@yarnpkg/cli-dist@4';

/** Installs the package managers into a folder. Both releases of Yarn have the same name: each has its own folder. */
export async function installTools(folder: string): Promise<void> {
  const modern = modernIn(folder);
  await mkdir(join(modern, 'bin'), { recursive: true });
  for (const [prefix, packages] of [
    [folder, SHARED],
    [modern, [MODERN]],
  ] as const) {
    await succeed(folder, 'npm', ['install', '--prefix', prefix, '--ignore-scripts', ...packages]);
  }
  const program = join(modern, 'node_modules', '@yarnpkg', 'cli-dist', 'bin', 'yarn.js');
  const wrapper = join(modern, 'bin', 'yarn');
  await writeFile(wrapper, lockOnly(program));
  await chmod(wrapper, 0o755);
}

/** The environment in which a package manager is found. */
export function withTool(folder: string, manager: ManagerName, environment: Environment): Environment {
  const own =
    manager === 'yarn-modern' ? join(modernIn(folder), 'bin') : join(folder, 'node_modules', '.bin');
  return { ...environment, PATH: `${own}:${environment['PATH']}` };
}

function modernIn(folder: string): string {
  return join(folder, 'modern');
}

/** Yarn 2 and later have an option and no setting for writing the lockfile alone. */
function lockOnly(program: string): string {
  return `#!/bin/sh
case "$1" in
  install | up) exec node '${program}' "$@" --mode=update-lockfile ;;
  *) exec node '${program}' "$@" ;;
esac
`;
}
