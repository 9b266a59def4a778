import type { KnownFormat } from './format.ts';
import { formatOfName } from './known-formats.ts';

/** Folders of installed packages, histories, caches and build results, which are not searched. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  ...['node_modules', 'bower_components', 'jspm_packages', '.yarn', '.pnpm-store', '.npm'],
  ...['.git', '.hg', '.svn', '.jj', 'vendor', 'Pods', 'target', '.gradle', '.m2', '.cargo'],
  ...['.venv', 'venv', 'site-packages', '__pycache__', '.tox', '.nox', '.mypy_cache', '.bundle'],
  ...['.terraform', '.idea', '.vscode', '.cache', '.next', '.nuxt'],
]);

/**
 * The format of a file that a search finds, by its name. `undefined` for any other file, and for one that its tool ignores because
 * of another file in its folder. `siblings`: names of the files in its folder.
 */
export function lockfileFormat(path: string, siblings: ReadonlySet<string>): KnownFormat | undefined {
  const format = formatOfName(path);
  const override = format?.overriddenBy?.[path.split(/[\\/]/).at(-1) ?? ''];
  return override !== undefined && siblings.has(override) ? undefined : format;
}
