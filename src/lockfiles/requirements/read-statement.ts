import type { ProjectStatement, StatedCooldown } from '../../model/advice/project-statement.ts';
import { messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import { LockfileError } from '../errors.ts';
import { bunStatement } from './bun.ts';
import { cargoStatement } from './cargo.ts';
import { cooldownIn } from './cooldown.ts';
import { gemStatement } from './gems.ts';
import { npmStatement } from './npm.ts';
import { nugetStatement } from './nuget.ts';
import { readManifest } from './package-json.ts';
import { pnpmStatement } from './pnpm.ts';
import { poetryStatement, uvStatement } from './python.ts';
import type { StatementInput, StatementReader } from './statement.ts';
import { yarnStatement } from './yarn.ts';

const READERS: Readonly<Record<string, StatementReader>> = {
  'npm-package-lock': npmStatement,
  'yarn-lock': yarnStatement,
  'pnpm-lock': pnpmStatement,
  'bun-lock': bunStatement,
  'cargo-lock': cargoStatement,
  'poetry-lock': poetryStatement,
  'uv-lock': uvStatement,
  'gemfile-lock': gemStatement,
  'nuget-packages-lock': nugetStatement,
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
];

/**
 * Patterns of folders whose manifests state requirements, too: the workspaces of Yarn 1, which its lockfile does not have. `files`: those beside
 * the lockfile.
 */
export function memberPatterns(format: string, files: ReadonlyMap<string, string>): readonly string[] {
  if (format !== 'yarn-lock') return [];
  const workspaces = orProblem(
    () => readManifest(files)?.['workspaces'],
    () => undefined,
  );
  const patterns = isObject(workspaces) ? workspaces['packages'] : workspaces;
  return Array.isArray(patterns) ? patterns.filter((one) => typeof one === 'string') : [];
}

const NOTHING: ProjectStatement = { requirements: [], statesDirect: false, pins: [] };

/**
 * What a lockfile and the files beside it state about the selection of versions. A file that cannot be read states nothing;
 * `problem` is then called with the reason.
 */
export function readStatement(
  format: string,
  input: StatementInput,
  problem: (reason: string) => void,
): ProjectStatement {
  const statement = orProblem(() => READERS[format]?.(input), problem) ?? NOTHING;
  const cooldown: StatedCooldown | undefined = orProblem(() => cooldownIn(format, input.files), problem);
  return { ...statement, cooldown };
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
