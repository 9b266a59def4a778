import { glob } from 'node:fs/promises';
import { posix, sep } from 'node:path';

/** More folders are not named. */
const MAX_FOLDERS = 1_000;

/**
 * Folders below a folder that match patterns such as `packages/*`, as paths with `/`; none in `node_modules` and none that begin with a dot.
 * Nothing is opened. Patterns that lead out of the folder match nothing.
 */
export async function foldersLike(patterns: readonly string[], folder: string): Promise<readonly string[]> {
  const inside = patterns.map((one) => posix.normalize(one)).filter((one) => !/^(?:\.\.|[/!])/.test(one));
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
