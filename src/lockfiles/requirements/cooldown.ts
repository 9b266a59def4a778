import type { StatedCooldown } from '../../model/advice/project-statement.ts';
import { parseToml, tableIn, textIn, textsIn } from '../syntax/parse-toml.ts';
import { parseYaml } from '../syntax/parse-yaml.ts';

const DAY = 1_440;

/**
 * How long a release has to be public, by the project's own setting for the package manager of a format: npm `min-release-age`
 * (days), pnpm `minimumReleaseAge` (minutes), Yarn `npmMinimalAgeGate` (minutes, or a duration), Bun `minimumReleaseAge`
 * (seconds), uv `exclude-newer` (a duration; a date is not a cooldown). Throws `LockfileError`.
 */
export function cooldownIn(format: string, files: ReadonlyMap<string, string>): StatedCooldown | undefined {
  const read = READERS[format];
  const found = read?.(files);
  return found === undefined || !(found.minutes > 0) ? undefined : found;
}

type Reader = (files: ReadonlyMap<string, string>) => StatedCooldown | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  'npm-package-lock': ofNpm,
  'pnpm-lock': ofPnpm,
  'yarn-lock': ofYarn,
  'bun-lock': ofBun,
  'uv-lock': ofUv,
};

/** `min-release-age = 3`, `min-release-age-exclude[] = @corp/*`. */
const NPM_SETTING = /^[ \t]*min-release-age(-exclude(?:\[\])?)?[ \t]*=[ \t]*(\S+)[ \t]*\r?$/gm;

function ofNpm(files: ReadonlyMap<string, string>): StatedCooldown | undefined {
  const settings = Array.from((files.get('.npmrc') ?? '').matchAll(NPM_SETTING));
  const days = settings.find(([, exclude, value = '']) => exclude === undefined && /^\d+$/.test(value))?.[2];
  if (days === undefined) return undefined;
  return {
    minutes: Number(days) * DAY,
    where: '.npmrc min-release-age',
    except: settings.flatMap(([, exclude, names = '']) => (exclude === undefined ? [] : names.split(','))),
  };
}

function ofPnpm(files: ReadonlyMap<string, string>): StatedCooldown | undefined {
  const settings = yamlIn(files, 'pnpm-workspace.yaml');
  const stated = textIn(settings['minimumReleaseAge']);
  if (stated === undefined || !/^\d+$/.test(stated)) return undefined;
  return {
    minutes: Number(stated),
    where: 'pnpm-workspace.yaml minimumReleaseAge',
    except: textsIn(settings['minimumReleaseAgeExclude']),
  };
}

function ofYarn(files: ReadonlyMap<string, string>): StatedCooldown | undefined {
  const settings = yamlIn(files, '.yarnrc.yml');
  const stated = textIn(settings['npmMinimalAgeGate']);
  const minutes = stated === undefined ? undefined : durationIn(stated);
  if (minutes === undefined) return undefined;
  return {
    minutes,
    where: '.yarnrc.yml npmMinimalAgeGate',
    except: textsIn(settings['npmPreapprovedPackages']),
  };
}

function ofBun(files: ReadonlyMap<string, string>): StatedCooldown | undefined {
  const install = tableIn(tomlIn(files, 'bunfig.toml')['install']);
  const seconds = install['minimumReleaseAge'];
  if (typeof seconds !== 'number') return undefined;
  return {
    minutes: seconds / 60,
    where: 'bunfig.toml install.minimumReleaseAge',
    except: textsIn(install['minimumReleaseAgeExcludes']),
  };
}

function ofUv(files: ReadonlyMap<string, string>): StatedCooldown | undefined {
  // A uv.toml replaces the table of the manifest.
  const [file, settings] = files.has('uv.toml')
    ? ['uv.toml', tomlIn(files, 'uv.toml')]
    : ['pyproject.toml tool.uv', tableIn(tableIn(tomlIn(files, 'pyproject.toml')['tool'])['uv'])];
  const minutes = durationIn(textIn(settings['exclude-newer']) ?? '');
  return minutes === undefined ? undefined : { minutes, where: `${file} exclude-newer`, except: [] };
}

const UNITS: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: DAY, w: 7 * DAY };

/** Minutes of `3d`, `7 days`, `24 hours`, `P7D`, `PT24H`, or a number of minutes. */
function durationIn(text: string): number | undefined {
  const [, count, unit = 'm'] =
    /^(?:PT?)?(\d+)\s*(s|m|h|d|w|$)(?:ec|econds?|in|inutes?|ours?|ays?|eeks?)?$/i.exec(text.trim()) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * (UNITS[unit.toLowerCase()] ?? 1);
}

function yamlIn(files: ReadonlyMap<string, string>, name: string) {
  const text = files.get(name);
  return tableIn(text === undefined ? undefined : parseYaml(text, name)[0]?.content);
}

function tomlIn(files: ReadonlyMap<string, string>, name: string) {
  const text = files.get(name);
  return text === undefined ? {} : parseToml(text, name);
}
