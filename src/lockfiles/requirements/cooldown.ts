import subset from 'semver/ranges/subset.js';
import validRange from 'semver/ranges/valid.js';
import type { StatedCooldown } from '../../model/advice/project-statement.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { parseToml, tableIn, textsIn } from '../syntax/parse-toml.ts';
import { parseYaml } from '../syntax/parse-yaml.ts';
import { COOLDOWN_SETTINGS } from './cooldown-settings.ts';
import { readManifest } from './package-json.ts';
import type { StatementInput } from './statement.ts';

const DAY = 1_440;

/**
 * Returns the reader of how long a release has to be public, by the project's own setting for the package manager of a format: npm
 * `min-release-age` (days) or `before` (a date), pnpm `minimumReleaseAge` (minutes), Yarn `npmMinimalAgeGate` (minutes, or a duration), Bun
 * `minimumReleaseAge` (seconds), uv `exclude-newer` (a duration or a date); or else by the default of the manager, where its version is known. It
 * throws `LockfileError`.
 */
export function cooldownOf(format: string) {
  return (input: Pick<StatementInput, 'text' | 'files'>): StatedCooldown | undefined => {
    const excepted: string[] = [];
    for (const [file, at, unit, except] of COOLDOWN_SETTINGS[format] ?? []) {
      const text = input.files.get(file);
      if (text === undefined) continue;
      const tree = treeOf(file, text);
      const stated = valueAt(tree, at);
      const names = valueAt(tree, except);
      const own = [...listIn(names), ...Object.keys(tableIn(names))];
      excepted.push(...own);
      if (stated === undefined && file !== 'uv.toml') continue;
      const age = ageIn(stated instanceof Date ? stated.toISOString() : String(stated), unit);
      return age && { ...age, where: `${file} ${at}`, except: own };
    }
    const has = hasDefault(format, input);
    const where = 'the default of the package manager';
    return has === undefined ? undefined : { minutes: has ? DAY : 0, where, except: excepted };
  };
}

/**
 * Whether a package manager has a cooldown of a day by itself: pnpm since 11, which alone writes its own version into lockfiles, and Yarn since 4.15,
 * which writes version 10, and a gate of 0 into the settings beside an older lockfile. `undefined` where its version is not known.
 */
function hasDefault(
  format: string,
  { text, files }: Pick<StatementInput, 'text' | 'files'>,
): boolean | undefined {
  if (format === 'yarn-lock') return Number(/^__metadata:\n {2}version: (\d+)$/m.exec(text)?.[1]) >= 10;
  if (format !== 'pnpm-lock') return undefined;
  if (/^ +packageManagerDependencies:/m.test(text)) return true;
  const manifest = readManifest(files);
  const { name, version } = tableIn(tableIn(manifest?.['devEngines'])['packageManager']);
  const [, stated] = /^pnpm@(.+)/.exec(String(manifest?.['packageManager'])) ?? [];
  const range = validRange(stated ?? (name === 'pnpm' ? String(version) : '*')) ?? '*';
  return subset(range, '>=11') || (subset(range, '<11') ? false : undefined);
}

function valueAt(tree: unknown, path: string): unknown {
  return path.split('.').reduce((of: unknown, key) => tableIn(of)[key], tree);
}

/** Reads a number, a duration or a date. It returns `undefined` for any other text. `unit`: the minutes that a number of 1 means. */
function ageIn(stated: string, unit: number): Pick<StatedCooldown, 'minutes' | 'before'> | undefined {
  const minutes = /^\d+(?:\.\d+)?$/.test(stated) ? Number(stated) * unit : durationIn(stated);
  if (minutes !== undefined) return Number.isNaN(minutes) ? undefined : { minutes };
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
