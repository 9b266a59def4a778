import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import type { IndexedPackage, InsightsData } from '../../src/embedded/insights/data-set.ts';
import { readBundledData } from '../../src/embedded/insights/data-set.ts';
import { succeed } from './run.ts';

/** What npm's own cache library offers, of which there are no types. */
interface Cacache {
  ls(
    cache: string,
  ): Promise<Readonly<Record<string, { readonly key: string; readonly integrity: string | null }>>>;
  get: { byDigest(cache: string, integrity: string): Promise<Buffer> };
}

const requirements = z.record(z.string(), z.string()).optional().catch(undefined);

/** The answer of a registry about a package. */
const packument = z.object({
  name: z.string(),
  'dist-tags': z.looseObject({ latest: z.string().optional() }).default({}),
  versions: z.record(
    z.string(),
    z.object({
      deprecated: z.union([z.string(), z.boolean()]).optional().catch(undefined),
      dependencies: requirements,
      optionalDependencies: requirements,
      peerDependencies: requirements,
    }),
  ),
});

/**
 * The data of a local package-insights service: all packages that npm has read from the registry into a cache, and the bundled
 * advisories.
 */
export async function dataOf(cache: string): Promise<InsightsData> {
  const root = (await succeed(cache, 'npm', ['root', '--global'])).trim();
  const cacache: Cacache = createRequire(join(root, 'npm', 'package.json'))('cacache');
  const folder = join(cache, '_cacache');
  const packages = new Map<string, IndexedPackage>();
  for (const { key, integrity } of Object.values(await cacache.ls(folder))) {
    if (integrity === null || key.endsWith('.tgz')) continue;
    const read = packument.safeParse(parsed(await cacache.get.byDigest(folder, integrity)));
    if (read.success) packages.set(read.data.name, indexed(read.data));
  }
  const { advisories } = await readBundledData();
  return {
    packages: [...packages.values()],
    advisories: advisories.map((one) => ({ ...one, heldBack: false })),
  };
}

function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    // A cache has archives, too.
    return undefined;
  }
}

function indexed({ name, versions, 'dist-tags': { latest } }: z.infer<typeof packument>): IndexedPackage {
  return {
    system: 'NPM',
    name,
    ...(latest === undefined ? {} : { default: latest }),
    versions: Object.entries(versions).map(([version, { deprecated, ...wanted }]) => ({
      version,
      dependencies: wanted.dependencies ?? {},
      optionalDependencies: wanted.optionalDependencies ?? {},
      peerDependencies: wanted.peerDependencies ?? {},
      // npm shows no message for `false` and for an empty text.
      ...(typeof deprecated === 'string' && deprecated !== '' ? { deprecated } : {}),
    })),
  };
}
