import type { Exception } from '../model/scan/exception.ts';
import { argument } from './managers/manager.ts';

type Removed = Pick<Exception, 'setting' | 'subject'>;

/** Settings of a package.json that are a mapping of selectors. */
const MAPPINGS: ReadonlySet<string> = new Set(['overrides', 'resolutions', 'pnpm.overrides']);
/** The `>` between two packages, and not that of a range. */
const SEPARATOR = /(?<![@\s|<>=^~])>(?!=)/;

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

/** Only npm nests its entries. */
function keysOf({ setting, subject }: Removed): readonly string[] {
  return [setting, ...(setting === 'overrides' ? subject.split(SEPARATOR) : [subject])];
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key);
}
