import { describe, expect, it } from 'vitest';
import type { TargetState } from '../../src/model/scan/change.ts';
import { type AdvisoryClaim, type Claim, disputeText } from '../../src/model/scan/claim.ts';
import type { Advisory } from '../../src/model/scan/inventory.ts';
import { compareFindings } from '../../src/policy/changes.ts';
import { vulnerability } from '../../src/policy/rules/vulnerability.ts';
import { stillOpenAfter } from '../../src/policy/still-open.ts';
import {
  advisories,
  advisoryOf,
  affected,
  factsOf,
  findingsOf,
  inventoryOf,
  lockfileOf,
  packageOf,
  resolved,
} from './facts.ts';

const claim = (id: string, source: Claim['source'], says: Claim['says'], since?: string): AdvisoryClaim => ({
  id,
  source,
  says,
  ...(since === undefined ? {} : { since }),
});
const lists = (id: string, source: Claim['source']) => claim(id, source, 'affected');
const denies = (id: string, source: Claim['source']) => claim(id, source, 'unaffected');

async function findingOf(
  advisoryIds: readonly string[],
  claims: readonly AdvisoryClaim[],
  known: ReadonlyMap<string, Advisory> = advisories(advisoryOf('A-1'), advisoryOf('B-1')),
) {
  const one = packageOf('left@1.0.0', { resolution: resolved('left', '1.0.0', { advisoryIds, claims }) });
  const [finding] = await findingsOf(factsOf(inventoryOf(lockfileOf([one])), { advisories: known }));
  return finding;
}

const alias = advisories(advisoryOf('A-1', { aliases: ['B-1'] }), advisoryOf('B-1'));
const imported = advisories(advisoryOf('A-1', { imported: true }));
const withdrawn = claim('A-1', 'osv', 'withdrawn', '2026-05-20T00:00:00Z');

describe('the sources of an advisory', () => {
  it.each<[string, readonly string[], readonly AdvisoryClaim[], ReadonlyMap<string, Advisory>?]>([
    ['agree where there are no claims', ['A-1'], []],
    ['do not where one denies', ['A-1'], [lists('A-1', 'osv'), denies('A-1', 'api')]],
    ['do not where one withdrew it', ['A-1'], [lists('A-1', 'api'), withdrawn]],
    ['agree where the service lacks it', ['A-1'], [lists('A-1', 'osv'), denies('A-1', 'api')], imported],
    ['agree where it did not load', ['A-1'], [lists('A-1', 'osv'), denies('A-1', 'api')], new Map()],
    ['agree where one does not know it', ['A-1'], [lists('A-1', 'api')]],
    [
      'agree under two names',
      ['A-1', 'B-1'],
      [lists('A-1', 'osv'), denies('A-1', 'api'), lists('B-1', 'api'), denies('B-1', 'osv')],
      alias,
    ],
    ['agree under one of its names', ['A-1', 'B-1'], [lists('A-1', 'osv'), denies('A-1', 'api')], alias],
    ['of another issue say nothing', ['A-1'], [lists('C-1', 'osv'), claim('C-1', 'osv', 'withdrawn')]],
  ])('%s', async (name, ids, claims, known) => {
    const finding = await findingOf(ids, claims, known);
    expect(finding?.level).toBe('alert');
    expect(finding?.disputed !== undefined).toBe(name.startsWith('do not'));
  });

  it('are named with what each says', async () => {
    const { disputed = [] } = (await findingOf(['A-1'], [lists('A-1', 'api'), withdrawn])) ?? {};
    expect(disputed).toEqual([
      { source: 'api', says: 'affected' },
      { source: 'osv', says: 'withdrawn', since: '2026-05-20T00:00:00Z' },
    ]);
    expect(disputeText(disputed)).toBe(
      'disputed: the insights service lists this version, OSV withdrew it on 2026-05-20',
    );
  });

  it('are named with the versions that each lists', () => {
    const claims = [
      lists('A-1', 'api'),
      { ...denies('A-1', 'osv'), versions: '<1.2.0', since: '2026-05-20' },
    ];
    expect(disputeText(claims)).toBe(
      'disputed: the insights service lists this version, OSV does not list this version (but <1.2.0) since 2026-05-20',
    );
  });

  it('leave malware the critical alert that it is', async () => {
    const claims = [lists('MAL-1', 'api'), claim('MAL-1', 'osv', 'withdrawn')];
    const finding = await findingOf(['MAL-1'], claims, advisories(advisoryOf('MAL-1')));
    expect(finding).toMatchObject({ level: 'alert', severity: 'critical', disputed: [{}, {}] });
  });
});

describe('a disagreement', () => {
  const day = (number: number) => `2026-11-0${number}T00:00:00Z`;

  async function history(...days: readonly (readonly Claim[] | undefined)[]) {
    const [finding] = await findingsOf(
      factsOf(inventoryOf(lockfileOf([affected('left@1.0.0', ['A-1'])])), {
        advisories: advisories(advisoryOf('A-1')),
      }),
    );
    let state: TargetState | undefined;
    const told: string[] = [];
    for (const [index, disputed] of days.entries()) {
      const found = finding === undefined ? [] : [{ ...finding, ...(disputed && { disputed }) }];
      const { changes, tracked } = await compareFindings(state, found, {
        scan: `s${index}`,
        requestedAt: day(index + 1),
        partial: false,
        paths: [],
        stillOpen: () => undefined,
        noteLimit: () => Number.POSITIVE_INFINITY,
      });
      state = { revision: index, scan: `s${index}`, requestedAt: day(index + 1), findings: tracked };
      told.push(changes.map(({ transition }) => transition).join());
    }
    return { told, since: state?.findings[0]?.finding.disputed?.map(({ since }) => since) };
  }
  const denied: readonly Claim[] = [
    { source: 'api', says: 'unaffected' },
    { source: 'osv', says: 'affected', since: '2026-01-01T00:00:00Z' },
  ];
  const revoked: readonly Claim[] = [
    { source: 'api', says: 'affected' },
    { source: 'osv', says: 'withdrawn', since: '2026-05-20T00:00:00Z' },
  ];

  it('is told once, however often it ends and returns, and each source that denies by itself', async () => {
    const { told } = await history(undefined, denied, denied, undefined, denied, revoked, denied, revoked);
    expect(told).toEqual(['opened', 'disputed', '', '', '', 'disputed', '', '']);
  });

  it('from the start is told with the alert', async () => {
    expect((await history(denied, denied)).told).toEqual(['opened', '']);
  });

  it('has the time since when a source without times said so', async () => {
    expect((await history(undefined, denied, denied)).since).toEqual([day(2), '2026-01-01T00:00:00Z']);
    expect((await history(denied, revoked)).since).toEqual([day(2), '2026-05-20T00:00:00Z']);
  });
});

it('a finding stays where the service has lost the version, and imported advisories name another issue', async () => {
  const facts = factsOf(inventoryOf(lockfileOf([affected('left@1.0.0', ['A-1'])])));
  const [finding] = await findingsOf(facts);
  const now = (serviceLacks: boolean) =>
    stillOpenAfter(
      inventoryOf(
        lockfileOf([
          packageOf('left@1.0.0', {
            resolution: resolved('left', '1.0.0', {
              advisoryIds: ['B-1'],
              ...(serviceLacks ? { serviceLacks } : {}),
            }),
          }),
        ]),
      ),
      { partial: false },
    );
  expect(finding?.rule).toBe(vulnerability.name);
  if (finding === undefined) return;
  expect(now(true)(finding, () => false)).toEqual(finding);
  expect(now(false)(finding, () => false)).toBeUndefined();
});
