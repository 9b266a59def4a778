import type { IndexedPackage, InsightsData } from '../src/embedded/insights/data-set.ts';

/**
 * An index for benchmarks with every given npm version, without advisories; its records are about as large as those of
 * real packages.
 */
export function synthesizeData(
  versions: Iterable<{ readonly name: string; readonly version: string }>,
): InsightsData {
  const packages = new Map<string, IndexedPackage>();
  for (const { name, version } of versions) {
    const found = packages.get(name) ?? { system: 'NPM', name, default: version, versions: [] };
    packages.set(name, found);
    found.versions.push({
      version,
      license: 'MIT',
      publishedAt: '2021-11-04T12:00:00Z',
      links: {
        HOMEPAGE: `https://${encodeURIComponent(name)}.example/`,
        ISSUE_TRACKER: `https://github.com/example/${name.replaceAll(/[@/]/g, '')}/issues`,
        SOURCE_REPO: `git+https://github.com/example/${name.replaceAll(/[@/]/g, '')}.git`,
      },
      dependencies: {},
    });
  }
  return { packages: [...packages.values()], advisories: [] };
}
