import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCandidates } from '../../src/advice/candidates.ts';
import type { AdviceFacts } from '../../src/advice/facts.ts';
import type { System } from '../../src/model/lockfile/ecosystem.ts';
import { schemeOf } from '../../src/versions/scheme.ts';

/** A folder with `osv/*.json`: advisories in the OSV format. */
const CORPORA = process.env['LOCKHOUND_CORPORA'];

const SYSTEMS: Readonly<Record<string, System>> = {
  PyPI: 'PYPI',
  'crates.io': 'CARGO',
  Go: 'GO',
  npm: 'NPM',
};

interface Affected {
  readonly package?: { readonly ecosystem: string; readonly name: string };
  readonly versions?: readonly string[];
  readonly ranges?: readonly {
    readonly type: string;
    readonly events: readonly { readonly introduced?: string; readonly fixed?: string }[];
  }[];
}

/** An interval of versions that an advisory affects. */
interface Range {
  readonly id: string;
  readonly introduced: string;
  readonly fixed: string | undefined;
}

interface Package {
  readonly system: System;
  readonly name: string;
  readonly ranges: Range[];
  readonly versions: Set<string>;
}

describe.skipIf(CORPORA === undefined)('the fixed versions of a corpus of advisories', () => {
  it('are those that the ranges of the advisories give, unless another advisory affects them', async () => {
    const exceptions: string[] = [];
    let compared = 0;
    for (const one of readPackages(join(CORPORA ?? '', 'osv'))) {
      for (const range of one.ranges) {
        const found = await compare(one, range);
        if (found === undefined) continue;
        compared += 1;
        if (found.version === range.fixed) continue;
        const others = found.affecting;
        exceptions.push(
          `${one.name} ${range.id}: ${range.fixed}, found ${found.version}: ${others.join(' ')}`,
        );
        expect({ range, found, others: others.length > 0 || found.isEarlierGood }).toMatchObject({
          others: true,
        });
      }
    }
    process.stdout.write(
      `${compared} fixed versions compared, ${exceptions.length} exceptions\n${exceptions.join('\n')}\n`,
    );
    expect(compared).toBeGreaterThanOrEqual(200);
  });
});

/** Looks for the fixed version of the last affected version of a range. `undefined` for a range without one. */
async function compare(one: Package, range: Range) {
  const { compare: order, isPrerelease } = schemeOf(one.system);
  const { fixed } = range;
  if (fixed === undefined || isPrerelease(fixed)) return undefined;
  const locked = [...one.versions]
    .filter((version) => isIn(version, range, one.system) && !isPrerelease(version))
    .sort(order)
    .at(-1);
  if (locked === undefined) return undefined;
  const opened = await openCandidates(factsOf(one), {
    system: one.system,
    name: one.name,
    version: locked,
  });
  const search = opened.state === 'good' ? await opened.found.firstGood(opened.found.later) : opened;
  const good = search.state === 'good' ? search.found : undefined;
  return {
    locked,
    version: good?.version,
    /** Advisories that affect it by another range. */
    affecting: idsOf(fixed, { ...one, ranges: one.ranges.filter((other) => other !== range) }),
    // A version between the affected ones and the fixed one that another range names.
    isEarlierGood:
      good !== undefined && order(good.version, fixed) < 0 && !isIn(good.version, range, one.system),
  };
}

function factsOf(one: Package): AdviceFacts {
  return {
    fixedIn: async () => undefined,
    versions: async () => ({
      versions: Array.from(one.versions, (version) => ({ version, isDefault: false, isDeprecated: false })),
    }),
    records: async (keys) =>
      keys.map((versionKey) => ({
        versionKey,
        isDefault: false,
        isDeprecated: false,
        licenses: [],
        advisoryIds: idsOf(versionKey.version, one),
      })),
    graph: async () => ({ state: 'unknown', reason: 'no graph is needed' }),
    requirements: async () => ({ state: 'unknown' as const, reason: 'no requirements' }),
    failures: () => [],
  };
}

function idsOf(version: string, { ranges, system }: Package): string[] {
  return [...new Set(ranges.filter((range) => isIn(version, range, system)).map(({ id }) => id))];
}

function isIn(version: string, { introduced, fixed }: Range, system: System): boolean {
  const { compare: order } = schemeOf(system);
  return (
    (introduced === '0' || order(version, introduced) >= 0) &&
    (fixed === undefined || order(version, fixed) < 0)
  );
}

function readPackages(folder: string): readonly Package[] {
  const packages = new Map<string, Package>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const { id, withdrawn, affected = [] } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    if (withdrawn !== undefined) continue;
    for (const one of affected as readonly Affected[]) addAffected(id, one, packages);
  }
  return [...packages.values()];
}

function addAffected(id: string, affected: Affected, packages: Map<string, Package>): void {
  const { package: named, versions = [], ranges = [] } = affected;
  const system = SYSTEMS[named?.ecosystem ?? ''];
  if (named === undefined || system === undefined) return;
  const key = `${system} ${named.name}`;
  const own = packages.get(key) ?? { system, name: named.name, ranges: [], versions: new Set<string>() };
  packages.set(key, own);
  const spelled = (version: string) => (system === 'GO' ? `v${version}` : version);
  const stated = ranges
    .filter(({ type }) => type !== 'GIT')
    .flatMap(({ events }) => intervalsOf(id, events, spelled));
  own.ranges.push(...stated);
  const bounds = stated.flatMap(({ introduced, fixed }) => [introduced, fixed ?? '0']);
  for (const version of [...versions.map(spelled), ...bounds]) {
    if (version !== '0' && schemeOf(system).isValid(version)) own.versions.add(version);
  }
}

/** An interval for each `introduced`, up to the next `fixed`. */
function intervalsOf(
  id: string,
  events: NonNullable<Affected['ranges']>[number]['events'],
  spelled: (version: string) => string,
): readonly Range[] {
  return events.flatMap(({ introduced }, at) => {
    if (introduced === undefined) return [];
    const fixed = events.slice(at).find((event) => event.fixed !== undefined)?.fixed;
    return [
      {
        id,
        introduced: introduced === '0' ? '0' : spelled(introduced),
        fixed: fixed === undefined ? undefined : spelled(fixed),
      },
    ];
  });
}
