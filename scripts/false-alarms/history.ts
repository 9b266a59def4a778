import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import compare from 'semver/functions/compare.js';
import type { Release } from '../../src/model/signal/release-facts.ts';
import { compareLines, lineOf } from '../../src/policy/signals/detector.ts';

const run = promisify(execFile);

/** What the registry says about all versions of a package. */
export interface History {
  readonly name: string;
  readonly releases: readonly (Release & { readonly publishedAt: number })[];
  readonly attested: ReadonlySet<string>;
  readonly requirements: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

interface ViewedVersion {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly deprecated?: string;
  readonly 'dist.attestations.url'?: string;
}

type Viewed = ViewedVersion | string;

async function view<Value>(...args: readonly string[]): Promise<Value> {
  const { stdout } = await run('npm', ['view', ...args, '--json', '--prefer-offline'], {
    maxBuffer: 256 << 20,
  });
  return JSON.parse(stdout === '' ? 'null' : stdout) as Value;
}

/** Reads a history with npm: from its cache, or from the registry. */
export async function readHistory(name: string): Promise<History> {
  const times = await view<Readonly<Record<string, string>>>(name, 'time');
  const fields = ['version', 'dependencies', 'optionalDependencies', 'deprecated', 'dist.attestations.url'];
  const found = await view<Viewed | Viewed[]>(`${name}@>=0.0.0`, ...fields);
  // Where no version has any other field, npm answers with the versions alone.
  const versions = [found].flat().map((one) => (typeof one === 'string' ? { version: one } : one));
  const releases = versions.flatMap(({ version }) => {
    const publishedAt = Date.parse(times[version] ?? '');
    // When a version was deprecated is not in the history.
    return Number.isNaN(publishedAt) ? [] : { version, publishedAt, isDefault: false, isDeprecated: false };
  });
  return {
    name,
    releases: coherent(withoutCopies(releases)),
    attested: new Set(
      versions.flatMap((one) => (one['dist.attestations.url'] === undefined ? [] : one.version)),
    ),
    requirements: new Map(
      versions.map((one) => [one.version, { ...one.dependencies, ...one.optionalDependencies }]),
    ),
  };
}

type Dated = History['releases'][number];

/** More versions than these within a minute were copied by a mirror, and not published. */
const MAX_IN_A_MINUTE = 4;

function withoutCopies(releases: readonly Dated[]): readonly Dated[] {
  return releases.filter(
    ({ publishedAt }) =>
      releases.filter((one) => Math.abs(one.publishedAt - publishedAt) <= 60_000).length <= MAX_IN_A_MINUTE,
  );
}

/**
 * Releases without those that a mirror copied later. Its times are never earlier than those of the registry: a version has a wrong time when a
 * greater version of its line has an earlier one, and a line has wrong times when it begins after a greater line.
 */
function coherent(releases: readonly Dated[]): readonly Dated[] {
  const lines = [...Map.groupBy(releases, ({ version }) => lineOf(version))]
    .sort(([left], [right]) => compareLines(right, left))
    .map(([, line]) => inOrder(line));
  let firstOfGreater = Number.POSITIVE_INFINITY;
  return lines.flatMap((line) => {
    const first = Math.min(...line.map(({ publishedAt }) => publishedAt));
    if (first > firstOfGreater) return [];
    firstOfGreater = first;
    return line;
  });
}

/** The versions of a line that no greater one precedes. */
function inOrder(line: readonly Dated[]): readonly Dated[] {
  let earliest = Number.POSITIVE_INFINITY;
  const greatestFirst = line.toSorted((left, right) => compare(right.version, left.version));
  return greatestFirst.filter(({ publishedAt }) => {
    const isOwnTime = publishedAt <= earliest;
    earliest = Math.min(earliest, publishedAt);
    return isOwnTime;
  });
}

const created = new Map<string, Promise<number | undefined>>();
let lookUps = 0;
/** npm's cache is asked without a limit. */
const MAX_LOOK_UPS = process.env['npm_config_offline'] === 'true' ? 10_000 : 60;

/** When a package was first published; not known once enough packages were looked up. */
export function firstPublished(name: string): Promise<number | undefined> {
  const known = created.get(name);
  if (known !== undefined) return known;
  lookUps += 1;
  const time =
    lookUps > MAX_LOOK_UPS
      ? Promise.resolve(undefined)
      : view<string>(name, 'time.created').then(
          (text) => Date.parse(text) || undefined,
          () => undefined,
        );
  created.set(name, time);
  return time;
}

/** Packages whose first publication was looked up. */
export function countLookUps(): number {
  return Math.min(lookUps, MAX_LOOK_UPS);
}
