/**
 * Writes `data/insights/packages.ndjson`, the data of the local package-insights service: one line for each package of
 * `examples/shop`, with every version in its lockfile.
 *
 * npm installs the lockfile into a temporary folder, without scripts. This reads the metadata of each version, the digests
 * of the archives, and the default version from `npm outdated`. Run it again after a change of the example:
 *
 *     node scripts/generate-dataset.ts
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { satisfies } from 'semver';
import { z } from 'zod';
import type { IndexedPackage, IndexedVersion } from '../src/embedded/insights/data-set.ts';

const EXAMPLE = new URL('../examples/shop/', import.meta.url);
const OUTPUT = new URL('../data/insights/packages.ndjson', import.meta.url);
const REGISTRY = 'https://registry.yarnpkg.com/';
const CACHE = '.npm-cache';
const ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'] as const;

const names = z.record(z.string(), z.string());
const lockEntry = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  deprecated: z.string().optional(),
  dependencies: names.optional(),
  optionalDependencies: names.optional(),
  peerDependencies: names.optional(),
});
const lockfile = z.looseObject({ packages: z.record(z.string(), lockEntry) });
const address = z.union([z.string(), z.looseObject({ url: z.string().optional() })]).optional();
const manifest = z.looseObject({
  name: z.string(),
  license: z.union([z.string(), z.looseObject({ type: z.string().optional() })]).optional(),
  /** The old form of `license`. */
  licenses: z
    .array(z.looseObject({ type: z.string() }))
    .optional()
    .catch(undefined),
  homepage: z.unknown().optional(),
  repository: address.catch(undefined),
  bugs: address.catch(undefined),
  dependencies: names.optional().catch(undefined),
  optionalDependencies: names.optional().catch(undefined),
  peerDependencies: names.optional().catch(undefined),
  devDependencies: names.optional().catch(undefined),
  bundleDependencies: z
    .union([z.boolean(), z.array(z.string())])
    .optional()
    .catch(undefined),
});
const outdated = z.record(
  z.string(),
  z.union([z.object({ latest: z.string() }), z.array(z.object({ latest: z.string() }))]),
);
const registryFacts = z.object({
  deprecated: z.array(z.tuple([z.string(), z.string(), z.string()])),
  publishedAt: names,
  /** Further versions with their licences: the smallest ones that no bundled advisory affects. */
  fixed: z.record(z.string(), names),
  /** Versions that were taken down, by package. */
  absent: z.record(z.string(), z.array(z.string())),
  /** Default versions that `npm outdated` does not list, with their licences. */
  defaults: z.record(z.string(), z.object({ version: z.string(), license: z.string() })),
});

interface Described {
  readonly entry: LockEntry;
  readonly found: Manifest | undefined;
  /** The folder of the installation. */
  readonly target: string;
  readonly facts: RegistryFacts;
}

type LockEntry = z.infer<typeof lockEntry>;
type Manifest = z.infer<typeof manifest>;
type RegistryFacts = z.infer<typeof registryFacts>;

const folder = await mkdtemp(join(tmpdir(), 'lockhound-dataset-'));
try {
  await installExample(folder);
  const defaults = await readDefaults(folder);
  const facts = registryFacts.parse(await readJson(new URL('registry-facts.json', import.meta.url)));
  const packages = await readPackages(folder, defaults, facts);
  await writeFile(OUTPUT, packages.map((indexed) => `${JSON.stringify(indexed)}\n`).join(''));
  const versions = packages.reduce((sum, indexed) => sum + indexed.versions.length, 0);
  console.log(`${fileURLToPath(OUTPUT)}: ${packages.length} packages, ${versions} versions`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Installs what a public registry has: no private, git or unpublished packages. */
async function installExample(target: string): Promise<void> {
  await cp(EXAMPLE, target, { recursive: true, filter: (path) => !path.endsWith('.npmrc') });
  const locked = lockfile.parse(await readJson(join(target, 'package-lock.json')));
  const manifestFile = join(target, 'package.json');
  const root = z.looseObject({ dependencies: names }).parse(await readJson(manifestFile));
  for (const [path, entry] of Object.entries(locked.packages)) {
    if (path === '') continue;
    if (!isPublic(entry)) {
      delete root.dependencies[nameOf(path)];
      delete locked.packages[path];
    } else if (entry.integrity === undefined) delete locked.packages[path];
    delete entry.resolved;
  }
  if (locked.packages['']) locked.packages[''].dependencies = root.dependencies;
  await writeFile(join(target, 'package-lock.json'), JSON.stringify(locked));
  await writeFile(manifestFile, JSON.stringify(root));
  const cache = join(target, CACHE);
  await npm(target, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--cache', cache);
}

async function readDefaults(target: string): Promise<ReadonlyMap<string, string>> {
  // npm outdated exits with 1 when a package is outdated.
  const text = await npm(target, 'outdated', '--all', '--json').catch(
    (error: { stdout?: string }) => error.stdout,
  );
  const latest = Object.entries(outdated.parse(JSON.parse(text ?? '')));
  return new Map(latest.map(([name, found]) => [name, [found].flat()[0]?.latest ?? '']));
}

async function readPackages(
  target: string,
  defaults: ReadonlyMap<string, string>,
  facts: RegistryFacts,
): Promise<IndexedPackage[]> {
  const locked = lockfile.parse(await readJson(new URL('package-lock.json', EXAMPLE)));
  const installed = lockfile.parse(await readJson(join(target, 'node_modules/.package-lock.json')));
  const entries = { ...locked.packages, ...installed.packages };
  const packages = new Map<string, Map<string, IndexedVersion>>();
  for (const [path, entry] of Object.entries(entries)) {
    const { version } = entry;
    if (path === '' || version === undefined || !isPublic(entry) || entry.integrity === undefined) continue;
    const found = await readManifest(join(target, path, 'package.json'));
    const name = found?.name ?? nameOf(path);
    const versions = packages.get(name) ?? new Map<string, IndexedVersion>();
    packages.set(name, versions.set(version, await describe(name, version, { entry, found, target, facts })));
  }
  return [...packages]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, versions]) => withDefault(name, versions, { latest: defaults.get(name), facts }));
}

async function describe(
  name: string,
  version: string,
  { entry, found, target, facts }: Described,
): Promise<IndexedVersion> {
  const license = licenseOf(found) ?? entry.license;
  const deprecated = entry.deprecated ?? deprecationOf(name, version, facts);
  const source = found ?? entry;
  return defined({
    version,
    license,
    publishedAt: facts.publishedAt[`${name}@${version}`],
    deprecated,
    integrity: await allDigests(target, entry.integrity),
    links: linksOf(found),
    // npm writes optional dependencies to both lists.
    dependencies: without(source.dependencies ?? {}, source.optionalDependencies ?? {}),
    optionalDependencies: source.optionalDependencies,
    peerDependencies: source.peerDependencies,
    devDependencies: found?.devDependencies,
    bundleDependencies: Array.isArray(found?.bundleDependencies) ? found.bundleDependencies : undefined,
  });
}

/** The digests of the archive in npm's cache; without an archive only the lockfile's. */
async function allDigests(target: string, integrity: string | undefined): Promise<string | undefined> {
  const hex = Buffer.from(/^sha512-(\S+)$/.exec(integrity ?? '')?.[1] ?? '', 'base64').toString('hex');
  const parts = [hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)];
  const archive = await readFile(join(target, CACHE, '_cacache/content-v2/sha512', ...parts)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'EISDIR') return undefined;
      throw error;
    },
  );
  if (archive === undefined) return integrity;
  return ALGORITHMS.map((name) => `${name}-${createHash(name).update(archive).digest('base64')}`).join(' ');
}

function withDefault(
  name: string,
  versions: ReadonlyMap<string, IndexedVersion>,
  { latest, facts }: { readonly latest: string | undefined; readonly facts: RegistryFacts },
): IndexedPackage {
  // A package that `npm outdated` does not list is up to date: its greatest version is the default.
  const fixed = Object.entries(facts.fixed[name] ?? {}).map(([version, license]) => ({ version, license }));
  const known = [...versions.values(), ...fixed].toSorted((left, right) =>
    left.version.localeCompare(right.version, 'en', { numeric: true }),
  );
  const fact = facts.defaults[name];
  const byDefault = fact?.version ?? latest ?? known.at(-1)?.version;
  const listed = known.some(({ version }) => version === byDefault) || byDefault === undefined;
  return {
    system: 'NPM',
    name,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    versions: listed
      ? known
      : [
          ...known,
          defined({ ...fact, version: byDefault, deprecated: deprecationOf(name, byDefault, facts) }),
        ],
    ...(facts.absent[name] === undefined ? {} : { absent: facts.absent[name] }),
  };
}

function deprecationOf(name: string, version: string, { deprecated }: RegistryFacts): string | undefined {
  return deprecated.find(([candidate, range]) => candidate === name && satisfies(version, range))?.[2];
}

function licenseOf(found: Manifest | undefined): string | undefined {
  const license = typeof found?.license === 'object' ? found.license.type : found?.license;
  return license ?? found?.licenses?.map(({ type }) => type).join(' OR ');
}

/** Links as the registry has them: npm adds those that a manifest with a GitHub repository omits. */
function linksOf(found: Manifest | undefined): Record<string, string> | undefined {
  const urlOf = (value: Manifest['bugs']) => (typeof value === 'string' ? value : value?.url);
  const repository = urlOf(found?.repository);
  const [, github] =
    /^(?:(?:git\+)?(?:https?|ssh|git):\/\/(?:git@)?github\.com\/|git@github\.com:|github:|(?=[\w.-]+\/[\w.-]+$))([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/i.exec(
      repository ?? '',
    ) ?? [];
  const links: Record<string, string> = defined({
    HOMEPAGE:
      typeof found?.homepage === 'string' ? found.homepage : github && `https://github.com/${github}#readme`,
    ISSUE_TRACKER: urlOf(found?.bugs) ?? (github && `https://github.com/${github}/issues`),
    SOURCE_REPO: github === undefined ? repository : `git+https://github.com/${github}.git`,
  });
  for (const [label, url] of Object.entries(links)) {
    if (!/^[a-z+]+:\/\//i.test(url)) delete links[label];
    else
      links[label] = url.replace(
        /^https?:\/\/(?:www\.|registry\.)?npmjs\.(?:com|org)\/(?:package\/)?/,
        REGISTRY,
      );
  }
  return Object.keys(links).length === 0 ? undefined : links;
}

function isPublic({ resolved }: LockEntry): boolean {
  return resolved === undefined || /^https:\/\/registry\.(?:yarnpkg\.com|npmjs\.org)\//.test(resolved);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function without(all: Record<string, string>, some: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in some)));
}

/** The object without its undefined members. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return JSON.parse(JSON.stringify(value));
}

async function readManifest(path: string): Promise<Manifest | undefined> {
  try {
    return manifest.parse(await readJson(path));
  } catch (error) {
    // Packages of other platforms are locked but not installed; the lockfile has enough facts.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`${path} is not a valid package manifest`, { cause: error });
  }
}

async function readJson(path: string | URL): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'));
}

async function npm(cwd: string, ...parameters: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', parameters, { cwd, maxBuffer: 64 << 20 });
  return stdout;
}
