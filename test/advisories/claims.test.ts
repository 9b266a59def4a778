import { expect, it } from 'vitest';
import type { StoredAdvisory, StoredAffected } from '../../src/advisories/database.ts';
import { claimsAbout } from '../../src/advisories/matched.ts';

const LEFT = { system: 'NPM', name: 'left' } as const;
const stored: readonly StoredAdvisory[] = [
  {
    id: 'A-1',
    modified: '2026-05-02T00:00:00Z',
    published: '2026-05-01T00:00:00Z',
    title: '',
    aliases: ['X-1'],
  },
  { id: 'W-1', modified: '2026-05-02T00:00:00Z', withdrawn: '2026-05-03T00:00:00Z', title: '', aliases: [] },
  { id: 'OLD-1', modified: '0001-01-01T00:00:00Z', title: '', aliases: [] },
  {
    id: 'W-2',
    modified: '2026-05-02T00:00:00Z',
    withdrawn: '2026-05-04T00:00:00Z',
    title: '',
    aliases: ['Y-1', 'X-1'],
  },
];
const ABOUT: readonly StoredAffected[] = [
  {
    id: 'A-1',
    versions: [],
    ranges: [
      [
        ['introduced', '0'],
        ['fixed', '1.2.0'],
        ['introduced', '2.0.0'],
        ['last_affected', '2.1.0'],
      ],
    ],
  },
];
const advisories = {
  find: (id: string) => stored.find((one) => one.id === id),
  about: (_system: string, names: Iterable<string>) => new Map([...names].map((name) => [name, ABOUT])),
  withdrawnAs: (alias: string) =>
    stored.filter((one) => one.withdrawn !== undefined && one.aliases.includes(alias)).map(({ id }) => id),
};
const RANGE = '<1.2.0, >=2.0.0 <=2.1.0';
const claims = (service: readonly string[], own: readonly string[]) =>
  claimsAbout(LEFT, { service, own }, advisories).map(({ id, source, says, since, versions }) =>
    [id, source, says, since, versions].filter((part) => part !== undefined).join(' '),
  );

it('sources that list the same claim nothing', () => {
  expect(claims([], [])).toEqual([]);
  expect(claims(['A-1', 'B-1'], ['B-1', 'A-1'])).toEqual([]);
});

it.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['lists', [], ['A-1'], [`A-1 osv affected 2026-05-01T00:00:00Z ${RANGE}`, 'A-1 api unaffected']],
  ['does not list', ['A-1'], [], ['A-1 api affected', `A-1 osv unaffected 2026-05-02T00:00:00Z ${RANGE}`]],
  [
    'knows by another name',
    ['X-1'],
    [],
    ['X-1 api affected', `X-1 osv unaffected 2026-05-02T00:00:00Z ${RANGE}`],
  ],
  ['withdrew as', ['Y-1'], [], ['Y-1 api affected', 'Y-1 osv withdrawn 2026-05-04T00:00:00Z']],
  ['withdrew', ['W-1'], [], ['W-1 api affected', 'W-1 osv withdrawn 2026-05-03T00:00:00Z']],
  ['does not know', ['N-1'], [], ['N-1 api affected']],
  ['has without a time', ['OLD-1'], [], ['OLD-1 api affected', 'OLD-1 osv unaffected']],
])('an advisory that the imported ones %s', (_, service, own, expected) => {
  expect(claims(service, own)).toEqual(expected);
});

it('a service that lists ten thousand advisories of a version is bounded', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => `N-${at}`);
  expect(claims(many, []).length).toBe(200);
});
