import { glob } from 'node:fs/promises';
import { posix, sep } from 'node:path';

/** More folders and patterns are not used. */
const MAX_FOLDERS = 1_000;
const MAX_PATTERN_CHARACTERS = 256;

/**
 * Folders below a folder that match patterns such as `packages/*`, as paths with `/`; none in `node_modules` and none that begin with a dot.
 * Nothing is opened. Patterns that lead out of the folder match nothing, nor do those that could take exponential time.
 */
export async function foldersLike(patterns: readonly string[], folder: string): Promise<readonly string[]> {
  const inside = patterns
    .slice(0, MAX_FOLDERS)
    .filter(isSimple)
    .map((one) => posix.normalize(one))
    .filter((one) => !/^(?:\.\.|[/!])/.test(one));
  if (inside.length === 0) return [];
  const found: string[] = [];
  const isLeftOut = ({ name }: { readonly name: string }) => name === 'node_modules' || name.startsWith('.');
  for await (const entry of glob(inside, { cwd: folder, withFileTypes: true, exclude: isLeftOut })) {
    if (!entry.isDirectory()) continue;
    found.push(
      posix.relative(folder.split(sep).join('/'), `${entry.parentPath}/${entry.name}`.split(sep).join('/')),
    );
    if (found.length >= MAX_FOLDERS) break;
  }
  return found.sort();
}

/** Whether it has at most two wildcards in a part, two parts of any depth and one list of alternatives. */
function isSimple(pattern: string): boolean {
  const count = (text: string, part: string) => text.split(part).length - 1;
  return (
    pattern.length <= MAX_PATTERN_CHARACTERS &&
    !/[()]|\.\./.test(pattern) &&
    count(pattern, '{') <= 1 &&
    count(pattern, '**') <= 2 &&
    pattern.split('/').every((part) => count(part, '*') <= 2)
  );
}
