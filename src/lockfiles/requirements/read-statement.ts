import type { ProjectStatement } from '../../model/advice/project-statement.ts';
import { messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import { LockfileError } from '../errors.ts';
import { readManifest } from './package-json.ts';
import type { StatementInput, StatementReader } from './statement.ts';

const others = () => import('./stating-lockfiles.ts');

/** Loaded on use: readers of several syntaxes take longer to load than a lockfile to read. */
const READERS: Readonly<Record<string, () => Promise<StatementReader>>> = {
  'npm-package-lock': async () => (await import('./npm.ts')).npmStatement,
  'yarn-lock': async () => (await import('./yarn.ts')).yarnStatement,
  'pnpm-lock': async () => (await import('./pnpm.ts')).pnpmStatement,
  'bun-lock': async () => (await others()).bunStatement,
  'cargo-lock': async () => (await others()).cargoStatement,
  'poetry-lock': async () => (await import('./python.ts')).poetryStatement,
  'uv-lock': async () => (await import('./python.ts')).uvStatement,
  'gemfile-lock': async () => (await others()).gemStatement,
  'nuget-packages-lock': async () => (await others()).nugetStatement,
};

/** Files beside a lockfile that state requirements or settings. */
export const STATEMENT_FILES: readonly string[] = [
  'package.json',
  '.npmrc',
  'pnpm-workspace.yaml',
  '.yarnrc.yml',
  'bunfig.toml',
  'Cargo.toml',
  'pyproject.toml',
  'uv.toml',
  'go.sum',
  'requirements.in',
];

/**
 * Patterns of folders whose manifests state requirements, too: the workspaces of Yarn 1, which its lockfile does not have, and those of pnpm, whose
 * lockfile has overrides in their place. `files`: those beside the lockfile.
 */
export async function memberPatterns(
  format: string,
  files: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const foldersIn = format === 'pnpm-lock' ? (await import('./pnpm.ts')).workspaceFolders : yarnWorkspaces;
  const patterns =
    format === 'pnpm-lock' || format === 'yarn-lock' ? orProblem(() => foldersIn(files), ignored) : [];
  return Array.isArray(patterns) ? patterns.filter((one) => typeof one === 'string') : [];
}

function yarnWorkspaces(files: ReadonlyMap<string, string>): unknown {
  const workspaces = readManifest(files)?.['workspaces'];
  return isObject(workspaces) ? workspaces['packages'] : workspaces;
}

/** The statement says what is wrong with the file. */
function ignored(): undefined {}

const NOTHING: ProjectStatement = { requirements: [], statesDirect: false, pins: [] };

/**
 * Returns the reader of what a lockfile of a format, and the files beside it, state about the selection of versions. A file that cannot be
 * read states nothing; `problem` is then called with the reason. `manager`: the format whose package manager has the cooldown.
 */
export async function statementReader(
  format: string,
  manager = format,
): Promise<(input: StatementInput, problem: (reason: string) => void) => ProjectStatement> {
  const read = Object.hasOwn(READERS, format) ? await READERS[format]?.() : undefined;
  const cooldownIn = (await import('./cooldown.ts')).cooldownOf(manager);
  return (input, problem) => {
    const statement = orProblem(() => read?.(input), problem) ?? NOTHING;
    return { ...statement, cooldown: orProblem(() => cooldownIn(input), problem) };
  };
}

function orProblem<T>(read: () => T, problem: (reason: string) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    problem(messageOf(error));
    return undefined;
  }
}
