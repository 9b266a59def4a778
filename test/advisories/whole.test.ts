import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { affects } from '../../src/advisories/affects.ts';
import { readOsvRecord } from '../../src/advisories/osv-record.ts';

const corpus = path.join(
  process.env['LOCKHOUND_CORPORA'] ?? path.resolve(import.meta.dirname, '../../../shared/corpora'),
  'osv-whole',
);

interface RawRange {
  readonly type: string;
  readonly events: readonly Readonly<Record<string, string>>[];
}

interface RawEntry {
  readonly package?: object;
  readonly versions?: readonly string[];
  readonly ranges?: readonly RawRange[];
}

interface Raw {
  readonly id: string;
  readonly affected?: readonly RawEntry[];
}

/** The versions that an event names, by what it means for them. */
const MEANS: Readonly<Record<string, boolean>> = { introduced: true, last_affected: true, fixed: false };

/** What a record with this entry alone says of versions; `undefined` for an ecosystem that is not looked up. */
function reader(record: Raw, entry: RawEntry): ((version: string) => boolean | undefined) | undefined {
  const [affected] = readOsvRecord({ ...record, affected: [entry] }).affected;
  // Nothing can be read of what it says.
  if (affected?.unread === true && affected.versions.length === 0) return undefined;
  return affected && ((version) => affects(affected, affected.system, version));
}

/** The versions of which the entry says something else than its text, and those that one range fixes and introduces. */
function compare(record: Raw, { package: named = {}, versions = [], ranges = [] }: RawEntry) {
  const [wrong, both]: [string[], string[]] = [[], []];
  let count = 0;
  const note = (version: string, is: boolean | undefined, expected: boolean): void => {
    count += 1;
    if (is !== expected) wrong.push(`${record.id} ${version}: ${is}`);
  };
  const ofAll = reader(record, { package: named, versions, ranges });
  if (ofAll !== undefined) for (const version of versions) note(version, ofAll(version), true);
  for (const range of ranges) {
    const ofRange = range.type === 'GIT' ? undefined : reader(record, { package: named, ranges: [range] });
    if (ofRange === undefined) continue;
    const bounds = range.events
      .flatMap((event) => Object.entries(event))
      .filter(([, bound]) => bound !== '0');
    const introduced = new Set(bounds.flatMap(([kind, bound]) => (kind === 'introduced' ? bound : [])));
    for (const [kind, bound] of bounds) {
      if (kind === 'fixed' && introduced.has(bound)) both.push(`${record.id} ${bound}`);
      else if (kind in MEANS && !both.includes(`${record.id} ${bound}`))
        note(bound, ofRange(bound), MEANS[kind] === true);
    }
  }
  return { wrong, both, count };
}

describe.skipIf(!existsSync(corpus))('whole databases', () => {
  const files = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.ndjson.gz')) : [];

  it.each(files)('%s: each listed version is affected, and each fixed one is not', (file) => {
    const [wrong, both]: [string[], string[]] = [[], []];
    let count = 0;
    for (const line of gunzipSync(readFileSync(path.join(corpus, file)))
      .toString('utf8')
      .split('\n')) {
      const record = (line === '' ? { id: '' } : JSON.parse(line)) as Raw;
      for (const entry of record.affected ?? []) {
        const found = compare(record, entry);
        wrong.push(...found.wrong);
        both.push(...found.both);
        count += found.count;
      }
    }
    process.stdout.write(`${file}: ${count} statements; fixed and introduced: ${both.join(', ')}\n`);
    expect(wrong).toEqual([]);
    expect(both.length).toBeLessThanOrEqual(3);
    expect(count).toBeGreaterThan(3_000);
  });
});
