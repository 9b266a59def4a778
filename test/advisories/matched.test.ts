import { expect, it } from 'vitest';
import type { Advisories, StoredAffected } from '../../src/advisories/database.ts';
import { matchedWith } from '../../src/advisories/matched.ts';
import type { RangeEvent } from '../../src/model/advisories/osv-record.ts';

const range = (id: string, ...events: readonly RangeEvent[]): StoredAffected => ({
  ...{ id, versions: [], ranges: [events] },
});
const A = range('A', ['introduced', '0'], ['fixed', '1.1.0'], ['introduced', '2.0.0'], ['fixed', '2.0.3']);
const B = range('B', ['introduced', '1.0.0'], ['fixed', '1.10.0']);
const NEVER = range('N', ['introduced', '0'], ['last_affected', '1.5.0']);
const LISTED: StoredAffected = { id: 'L', versions: ['1.0.0'], ranges: [] };

function fixedIn(version: string, ...about: readonly StoredAffected[]) {
  const advisories = {
    coverage: () => [{ system: 'NPM' }],
    about: (_system: string, names: readonly string[]) => new Map(names.map((name) => [name, about])),
  } as unknown as Advisories;
  return matchedWith(advisories).fixedIn({ system: 'NPM', name: 'left', version });
}

it('names the lowest version in which everything is fixed, and none where an advisory does not say so', () => {
  expect(fixedIn('1.0.0', A)).toBe('1.1.0');
  expect(fixedIn('2.0.1', A)).toBe('2.0.3');
  expect(fixedIn('1.0.0', A, B)).toBe('1.10.0');
  expect(fixedIn('1.2.0', A, B)).toBe('1.10.0');
  for (const unsure of [NEVER, LISTED]) expect(fixedIn('1.0.0', A, unsure)).toBeUndefined();
  expect(fixedIn('1.6.0', A, NEVER)).toBeUndefined();
  expect(fixedIn('no version', A)).toBeUndefined();
});
