import { LockfileError } from './errors.ts';
import type { KnownFormat } from './format.ts';
import { KNOWN_FORMATS } from './known-formats.generated.ts';

export function formatNamed(name: string): KnownFormat | undefined {
  return KNOWN_FORMATS.find((format) => format.name === name || format.aliases?.includes(name) === true);
}

/** The format of a file by its name and folder. */
export function formatOfName(path: string): KnownFormat | undefined {
  const parts = path.split(/[\\/]/);
  const name = parts.at(-1) ?? '';
  return KNOWN_FORMATS.find(
    (format) =>
      format.fileNames.some((pattern) =>
        pattern.includes('/') ? matches(pattern, `${parts.at(-2) ?? ''}/${name}`) : matches(pattern, name),
      ) || isUnreadable(format, name),
  );
}

/** The remedy for an unsupported file of a known tool; `undefined` for any other file. */
export function remedyFor(path: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return KNOWN_FORMATS.find((format) => isUnreadable(format, name))?.unreadable?.[name];
}

/** The message for a file of an unknown format, or for an unknown name of a format. */
export function unknownFormat(path: string, format: string | undefined): string {
  const what =
    format === undefined
      ? 'neither its name nor its content matches a known format; name the format with --as'
      : `no format is named "${format}"`;
  return `${path}: ${what} (\`lockhound parse --formats\` lists all formats)`;
}

/** Throws `LockfileError` (`unknown-format`) when an option names a format that does not exist. */
export function requireFormat(option: string, format: string | undefined): void {
  if (format === undefined || formatNamed(format) !== undefined) return;
  throw new LockfileError('unknown-format', unknownFormat(option, format));
}

function isUnreadable({ unreadable }: KnownFormat, name: string): boolean {
  return unreadable !== undefined && Object.hasOwn(unreadable, name);
}

function matches(pattern: string, name: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === name;
  const end = pattern.slice(star + 1);
  return name.length >= pattern.length - 1 && name.startsWith(pattern.slice(0, star)) && name.endsWith(end);
}

/** Folders of installed packages, histories, caches and build results, which are not searched. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  ...['node_modules', 'bower_components', 'jspm_packages', '.yarn', '.pnpm-store', '.npm'],
  ...['.git', '.hg', '.svn', '.jj', 'vendor', 'Pods', 'target', '.gradle', '.m2', '.cargo'],
  ...['.venv', 'venv', 'site-packages', '__pycache__', '.tox', '.nox', '.mypy_cache', '.bundle', '.pixi'],
  ...['.terraform', '.idea', '.vscode', '.cache', '.next', '.nuxt'],
]);

/** Skipped folders whose name a project can have, too: their own files are read, and what is below is skipped. */
export const SHALLOW_FOLDERS: ReadonlySet<string> = new Set(['vendor', 'target']);

/**
 * The format of a file that a search finds, by its name. `undefined` for any other file, and for one that its tool ignores because
 * of another file in its folder. `siblings`: names of the files in its folder.
 */
export function lockfileFormat(path: string, siblings: ReadonlySet<string>): KnownFormat | undefined {
  const format = formatOfName(path);
  const override = format?.overriddenBy?.[path.split(/[\\/]/).at(-1) ?? ''];
  return override !== undefined && siblings.has(override) ? undefined : format;
}

const NPM = ['npm-package-lock', 'yarn-lock', 'pnpm-lock', 'bun-lock', 'deno-lock'];
const PYTHON = [
  ...['poetry-lock', 'pdm-lock', 'uv-lock', 'pylock-toml', 'pipfile-lock', 'requirements-txt'],
  ...['pixi-lock', 'conda-lock-yml'],
];

/**
 * The formats that lock what a manifest names, by its file name: in its folder, or in one above it, as in workspaces. Manifests that are read
 * themselves, such as `go.mod` and `pom.xml`, are formats.
 */
export const LOCKED_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ['package.json', NPM],
  ['composer.json', ['composer-lock']],
  ['Cargo.toml', ['cargo-lock']],
  ['pyproject.toml', PYTHON],
  ['Pipfile', PYTHON],
  ['Gemfile', ['gemfile-lock']],
  ['Podfile', ['podfile-lock']],
]);
