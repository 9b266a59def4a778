import type { StatedCooldown } from '../../model/advice/project-statement.ts';
import { parseToml, tableIn, textIn, textsIn } from '../syntax/parse-toml.ts';
import { parseYaml } from '../syntax/parse-yaml.ts';

const DAY = 1_440;

/** The file, the setting, the minutes of a number, and the setting of the exceptions. */
type Setting = readonly [file: string, at: string, unit: number, except: string];

/** By format; the first file that exists counts. A uv.toml replaces the table of the manifest. */
const SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  'pnpm-lock': [['pnpm-workspace.yaml', 'minimumReleaseAge', 1, 'minimumReleaseAgeExclude']],
  'yarn-lock': [['.yarnrc.yml', 'npmMinimalAgeGate', 1, 'npmPreapprovedPackages']],
  'bun-lock': [['bunfig.toml', 'install.minimumReleaseAge', 1 / 60, 'install.minimumReleaseAgeExcludes']],
  'uv-lock': [
    ['uv.toml', 'exclude-newer', Number.NaN, ''],
    ['pyproject.toml', 'tool.uv.exclude-newer', Number.NaN, ''],
  ],
};

/**
 * Returns the reader of how long a release has to be public, by the project's own setting for the package manager of a format: pnpm
 * `minimumReleaseAge` (minutes), Yarn `npmMinimalAgeGate` (minutes, or a duration), Bun `minimumReleaseAge` (seconds), uv `exclude-newer` (a
 * duration; a date is not a cooldown). It throws `LockfileError`.
 */
export function cooldownOf(format: string) {
  return (files: ReadonlyMap<string, string>): StatedCooldown | undefined => {
    const found = inTree(SETTINGS[format] ?? [], files);
    return found === undefined || !(found.minutes > 0) ? undefined : found;
  };
}

function inTree(
  settings: readonly Setting[],
  files: ReadonlyMap<string, string>,
): StatedCooldown | undefined {
  const setting = settings.find(([file]) => files.has(file));
  if (setting === undefined) return undefined;
  const [file, at, unit, except] = setting;
  const text = files.get(file) ?? '';
  const tree = file.endsWith('.toml') ? parseToml(text, file) : parseYaml(text, file)[0]?.content;
  const valueAt = (path: string) => path.split('.').reduce((of: unknown, key) => tableIn(of)[key], tree);
  const stated = valueAt(at);
  const isNumber = /^\d+$/.test(String(stated));
  const minutes = isNumber ? Number(stated) * unit : durationIn(textIn(stated) ?? '');
  return minutes === undefined
    ? undefined
    : { minutes, where: `${file} ${at}`, except: textsIn(valueAt(except)) };
}

const UNITS: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: DAY, w: 7 * DAY };

/** Minutes of `3d`, `7 days`, `24 hours`, `P7D`, `PT24H`, or a number of minutes. */
export function durationIn(text: string): number | undefined {
  const [, count, unit = 'm'] =
    /^(?:PT?)?(\d+)\s*(s|m|h|d|w|$)(?:ec|econds?|in|inutes?|ours?|ays?|eeks?)?$/i.exec(text.trim()) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * (UNITS[unit.toLowerCase()] ?? 1);
}
