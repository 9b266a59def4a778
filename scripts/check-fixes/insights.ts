import pLimit from 'p-limit';
import major from 'semver/functions/major.js';
import rcompare from 'semver/functions/rcompare.js';
import valid from 'semver/functions/valid.js';
import { z } from 'zod';
import {
  type IndexedPackage,
  type InsightsData,
  readBundledData,
} from '../../src/embedded/insights/data-set.ts';
import type { Registry } from './registry.ts';

const CONCURRENCY = 16;

const requirements = z.record(z.string(), z.string()).optional().catch(undefined);
const manifest = z.object({
  dependencies: requirements,
  optionalDependencies: requirements,
  peerDependencies: requirements,
});

/**
 * The data of a local package-insights service: the bundled advisories, and what the registry has about packages and about everything that
 * the highest version of each of their major lines requires.
 */
export async function dataAbout(names: Iterable<string>, registry: Registry): Promise<InsightsData> {
  const limit = pLimit(CONCURRENCY);
  const packages = new Map<string, IndexedPackage>();
  const asked = new Set(names);
  let open = [...asked];
  while (open.length > 0) {
    const found = await Promise.all(open.map((name) => limit(() => readPackage(name, registry))));
    open = [];
    for (const one of found) {
      if (one === undefined) continue;
      packages.set(one.name, one);
      for (const name of requiredBy(one)) {
        if (asked.has(name)) continue;
        asked.add(name);
        open.push(name);
      }
    }
  }
  const { advisories } = await readBundledData();
  return {
    packages: [...packages.values()],
    advisories: advisories.map((one) => ({ ...one, heldBack: false })),
  };
}

async function readPackage(name: string, registry: Registry): Promise<IndexedPackage | undefined> {
  const found = await registry.read(name);
  const latest = found?.['dist-tags']['latest'];
  if (found === undefined) return undefined;
  return {
    system: 'NPM',
    name,
    ...(latest === undefined ? {} : { default: latest }),
    versions: Object.entries(found.versions).map(([version, entry]) => {
      const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest.parse(entry);
      return {
        version,
        dependencies,
        optionalDependencies,
        peerDependencies,
        // npm shows no message for `false` and for an empty text.
        ...(typeof entry.deprecated === 'string' && entry.deprecated !== ''
          ? { deprecated: entry.deprecated }
          : {}),
      };
    }),
  };
}

/** Names that the highest version of each major line requires. */
function requiredBy({ versions }: IndexedPackage): readonly string[] {
  const highest = new Map<number, IndexedPackage['versions'][number]>();
  for (const one of versions
    .filter(({ version }) => valid(version) !== null)
    .sort((a, b) => rcompare(a.version, b.version))) {
    const line = major(one.version);
    if (!highest.has(line)) highest.set(line, one);
  }
  return [...highest.values()].flatMap(({ dependencies, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...optionalDependencies }).map(
      ([key, requirement]) => /^npm:(.+?)(?:@[^@]*)?$/.exec(requirement)?.[1] ?? key,
    ),
  );
}
