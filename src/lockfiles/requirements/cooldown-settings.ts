const DAY = 1_440;

/** The file, the setting, the minutes of a number, and the setting of the exceptions. */
type Setting = readonly [file: string, at: string, unit: number, except: string];

const [NPM_EXCEPT, PNPM_EXCEPT] = ['min-release-age-exclude', 'minimum-release-age-exclude'];

/**
 * The settings of package managers for the age that a release needs, by the format of the lockfile; the first one that is stated counts. A uv.toml
 * replaces the table of the manifest.
 */
export const COOLDOWN_SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
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

/** The settings of a file. */
export function cooldownsIn(file: string): readonly Setting[] {
  return Object.values(COOLDOWN_SETTINGS).flatMap((all) => all.filter(([name]) => name === file));
}
