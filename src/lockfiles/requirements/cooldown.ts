import type { StatedCooldown } from '../../model/advice/project-statement.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { parseToml, tableIn, textsIn } from '../syntax/parse-toml.ts';
import { parseYaml } from '../syntax/parse-yaml.ts';

const DAY = 1_440;

/** The file, the setting, the minutes of a number, and the setting of the exceptions. */
type Setting = readonly [file: string, at: string, unit: number, except: string];

const [NPM_EXCEPT, PNPM_EXCEPT] = ['min-release-age-exclude', 'minimum-release-age-exclude'];

/** By format; the first one that is stated counts. A uv.toml replaces the table of the manifest. */
const SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  'npm-package-lock': [
    ['.npmrc', 'before', Number.NaN, NPM_EXCEPT],
    ['.npmrc', 'min-release-age', DAY, NPM_EXCEPT],
  ],
  'pnpm-lock': [
    ['pnpm-workspace.yaml', 'minimumReleaseAge', 1, 'minimumReleaseAgeExclude'],
    ['package.json', 'pnpm.minimumReleaseAge', 1, 'pnpm.minimumReleaseAgeExclude'],
    ['.npmrc', 'minimum-release-age', 1, PNPM_EXCEPT],
  ],
  'yarn-lock': [['.yarnrc.yml', 'npmMinimalAgeGate', 1, 'npmPreapprovedPackages']],
  'bun-lock': [['bunfig.toml', 'install.minimumReleaseAge', 1 / 60, 'install.minimumReleaseAgeExcludes']],
  'uv-lock': [
    ['uv.toml', 'exclude-newer', Number.NaN, 'exclude-newer-package'],
    ['pyproject.toml', 'tool.uv.exclude-newer', Number.NaN, 'tool.uv.exclude-newer-package'],
  ],
};

/** The settings of a .npmrc: the minutes of a number, by name. */
export const NPMRC_AGES: ReadonlyMap<string, number> = new Map(
  Object.values(SETTINGS).flatMap((all) =>
    all.flatMap(([file, at, unit]) => (file === '.npmrc' ? [[at, unit]] : [])),
  ),
);

/** Whether a setting of a .npmrc lists packages without a cooldown. */
export function isNpmrcExcept(key: string): boolean {
  return [NPM_EXCEPT, PNPM_EXCEPT].includes(key.replace(/\[\]$/, ''));
}

/**
 * Returns the reader of how long a release has to be public, by the project's own setting for the package manager of a format: npm
 * `min-release-age` (days) or `before` (a date), pnpm `minimumReleaseAge` (minutes), Yarn `npmMinimalAgeGate` (minutes, or a duration), Bun
 * `minimumReleaseAge` (seconds), uv `exclude-newer` (a duration or a date). It throws `LockfileError`.
 */
export function cooldownOf(format: string) {
  return (files: ReadonlyMap<string, string>): StatedCooldown | undefined => {
    for (const [file, at, unit, except] of SETTINGS[format] ?? []) {
      const text = files.get(file);
      if (text === undefined) continue;
      const tree = treeOf(file, text);
      const stated = valueAt(tree, at);
      if (stated === undefined && file !== 'uv.toml') continue;
      const names = valueAt(tree, except);
      const age = ageIn(stated instanceof Date ? stated.toISOString() : String(stated), unit);
      return (
        age && { ...age, where: `${file} ${at}`, except: [...listIn(names), ...Object.keys(tableIn(names))] }
      );
    }
    return undefined;
  };
}

function valueAt(tree: unknown, path: string): unknown {
  return path.split('.').reduce((of: unknown, key) => tableIn(of)[key], tree);
}

/** Reads a number, a duration or a date. It returns `undefined` for any other text, and for zero. `unit`: the minutes that a number of 1 means. */
function ageIn(stated: string, unit: number): Pick<StatedCooldown, 'minutes' | 'before'> | undefined {
  const minutes = /^\d+(?:\.\d+)?$/.test(stated) ? Number(stated) * unit : durationIn(stated);
  if (minutes !== undefined) return minutes > 0 ? { minutes } : undefined;
  const before = /^\d{4}-/.test(stated) ? Date.parse(stated) : Number.NaN;
  return Number.isNaN(before) ? undefined : { minutes: 0, before };
}

function treeOf(file: string, text: string): unknown {
  if (file === '.npmrc') {
    const values = Map.groupBy(npmrcEntries(text), ([key]) => key.replace(/\[\]$/, ''));
    return Object.fromEntries(
      [...values].map(([key, all]) => [key, all.map(([, value]) => value).join(',')]),
    );
  }
  if (file === 'package.json') return parseJsonObject(text, file, 'a package.json');
  return file.endsWith('.toml') ? parseToml(text, file) : parseYaml(text, file)[0]?.content;
}

/** The keys and values of a .npmrc, one a line, without comments. */
export function npmrcEntries(text: string): readonly (readonly [key: string, value: string])[] {
  return text.split('\n').map((line) => {
    const [stated = ''] = line.split(/[;#]/, 1);
    const at = stated.indexOf('=');
    const [key, value] = at < 0 ? [stated, ''] : [stated.slice(0, at), stated.slice(at + 1)];
    return [key.trim(), value.trim().replace(/^(["'])(.*)\1$/, '$2')];
  });
}

/** The texts of a list, or those of one text between commas. */
function listIn(value: unknown): readonly string[] {
  const list = typeof value === 'string' ? value.split(',') : textsIn(value);
  return list.map((one) => one.trim()).filter((one) => one !== '');
}

const UNITS: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: DAY, w: 7 * DAY };

/** Minutes of `3d`, `7 days`, `24 hours`, `P7D`, `PT24H`, or a number of minutes. */
export function durationIn(text: string): number | undefined {
  const [, count, unit = 'm'] =
    /^(?:PT?)?(\d+)\s*(s|m|h|d|w|$)(?:ec|econds?|in|inutes?|ours?|ays?|eeks?)?$/i.exec(text.trim()) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * (UNITS[unit.toLowerCase()] ?? 1);
}
