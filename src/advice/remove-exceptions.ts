import { posix } from 'node:path';
import type { RemovalPlan } from '../model/advice/fix-plan.ts';
import { type Exception, type JudgedException, SELECTOR_SEPARATOR } from '../model/scan/exception.ts';
import { argument } from './managers/manager.ts';

type Removed = Pick<Exception, 'setting' | 'subject'>;

/** The commands that lock again, by the format of the lockfile. They do so where `CI` is set, too. Yarn 1 ignores the option. */
const LOCKS: ReadonlyMap<string, string> = new Map([
  ['npm-package-lock', 'npm install'],
  ['yarn-lock', 'yarn install --no-immutable'],
  ['pnpm-lock', 'pnpm install --no-frozen-lockfile'],
  ['bun-lock', 'bun install'],
]);

/** A value is cut off at 300 characters, and an address may have lost its credentials. */
const COMPLETE = /^[^:]{1,299}$/;

/** The plans that remove overrides of package managers for JavaScript that change nothing. Two lockfiles in one folder have none. */
export function planRemovals(
  lockfiles: readonly { readonly path: string; readonly format: string }[],
  judged: readonly JudgedException[],
): readonly RemovalPlan[] {
  const folders = Map.groupBy(lockfiles, ({ path }) => posix.dirname(path));
  return [...folders].flatMap(([folder, files]) => {
    const [file, ...others] = files.filter(({ format }) => LOCKS.has(format));
    if (file === undefined || others.length > 0) return [];
    const stated = judged.filter(({ kind, path }) => kind === 'override' && posix.dirname(path) === folder);
    const [edits, removes]: [string[], JudgedException[]] = [[], []];
    for (const [path, all] of Map.groupBy(stated, (one) => posix.basename(one.path))) {
      const removed = all.filter(({ verdict }) => verdict === 'removable');
      const isWorkspace = path === 'pnpm-workspace.yaml';
      const command = (isWorkspace ? workspaceCommand : removalCommand)(removed, all);
      if (command === undefined || !(isWorkspace || path === 'package.json')) continue;
      edits.push(command);
      removes.push(...removed);
    }
    const commands = [...edits, LOCKS.get(file.format) ?? ''];
    return removes.length === 0 ? [] : [{ path: file.path, removes, commands }];
  });
}

/** pnpm has a command for all overrides of its workspace together. */
function workspaceCommand(removed: readonly Exception[], all: readonly Exception[]): string | undefined {
  const kept = all.filter((one) => !removed.includes(one));
  if (removed.length === 0 || !kept.every(({ value = '' }) => COMPLETE.test(value))) return undefined;
  if (kept.length === 0) return 'pnpm config delete --location project overrides';
  const rest = JSON.stringify(Object.fromEntries(kept.map(({ subject, value }) => [subject, value])));
  return `pnpm config set --location project --json overrides ${argument(rest)}`;
}

/** Settings of a package.json that are a mapping of selectors. */
const MAPPINGS: ReadonlySet<string> = new Set(['overrides', 'resolutions', 'pnpm.overrides']);

/**
 * The command that takes overrides out of the package.json of the folder in which it runs; `undefined` where one is in no mapping of it. `all`: the
 * overrides of the file. A mapping that keeps no entry is removed, too.
 */
export function removalCommand(removed: readonly Removed[], all: readonly Removed[]): string | undefined {
  if (removed.length === 0 || removed.some(({ setting }) => !MAPPINGS.has(setting))) return undefined;
  const gone = new Set(removed.map(keyOf));
  const kept = all.filter((one) => !gone.has(keyOf(one))).map(keysOf);
  const keys = removed.map((one) => {
    const path = keysOf(one);
    const isKept = (length: number) => kept.some((other) => startsWith(other, path.slice(0, length)));
    const length = path.findIndex((_, index) => !isKept(index + 1)) + 1;
    // An entry of a package itself beside entries below it.
    if (length === 0) return [...path, '.'];
    return path.slice(0, length);
  });
  const texts = new Set(
    keys.map(([setting = '', ...path]) => setting + path.map((key) => `[${key}]`).join('')),
  );
  return `npm pkg delete ${[...texts].map(argument).join(' ')}`;
}

function keyOf({ setting, subject }: Removed): string {
  return `${setting} ${subject}`;
}

/** Returns the keys on the way to an entry in package.json. Only npm nests its entries. */
function keysOf({ setting, subject }: Removed): readonly string[] {
  return [setting, ...(setting === 'overrides' ? subject.split(SELECTOR_SEPARATOR) : [subject])];
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key);
}
