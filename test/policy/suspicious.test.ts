import { describe, expect, it } from 'vitest';
import type { Inspection, Signal } from '../../src/model/signal/inspection.ts';
import { INCIDENT_SCORE, POINTS, pointsOf } from '../../src/policy/signals/suspicion.ts';
import { factsOf, findingsOf, inventoryOf, lockfileOf, POLICY, packageOf } from './facts.ts';

const FRESH: Signal = { signal: 'fresh-release', text: 'was published 9 hours ago' };
const LOST: Signal = {
  signal: 'provenance-lost',
  grade: 'missing',
  text: 'has no provenance, and 1.3.0 had',
};
const REQUIRES: Signal = { signal: 'young-requirement', grade: 'package', text: 'requires decoy' };

function judged(
  signals: readonly Signal[],
  given: { readonly groups?: readonly string[]; readonly policy?: object; readonly targets?: number } = {},
) {
  const locked = packageOf('left-pad@1.4.0', { groups: given.groups ?? [] });
  const inspection: Inspection = {
    inspectedAt: '',
    signals,
    unknown: [],
    ...(given.targets === undefined ? {} : { targets: given.targets }),
  };
  return findingsOf(
    factsOf(inventoryOf(lockfileOf([locked])), {
      inspections: new Map([[locked.purl, inspection]]),
      policy: { ...POLICY, ...given.policy },
    }),
  );
}

async function summary(...given: Parameters<typeof judged>) {
  return (await judged(...given)).map(({ rule, level, severity }) => [rule, level, severity]);
}

describe('signals of a version', () => {
  it.each([
    [[LOST, FRESH], 'provenance-lost', 'note', 'low'],
    [[REQUIRES, FRESH], 'suspicious', 'alert', 'high'],
    [[REQUIRES, LOST, FRESH], 'suspicious', 'alert', 'critical'],
    [[{ ...FRESH, past: true }, REQUIRES], 'suspicious', 'alert', 'high'],
    [[{ signal: 'integrity-mismatch', grade: 'foreign', text: 't' }], 'suspicious', 'alert', 'high'],
    [[{ signal: 'unmaintained', text: 't' }], 'unmaintained', 'note', 'low'],
  ] as const)('are one finding: %j', async (signals, rule, level, severity) => {
    expect(await summary(signals)).toEqual([[rule, level, severity]]);
  });

  it('are none without inspections, for another target, or when nothing counts by itself any more', async () => {
    expect(await findingsOf(factsOf(inventoryOf(lockfileOf([packageOf('left-pad@1.4.0')]))))).toEqual([]);
    expect(await summary([{ ...FRESH, target: 'other' }])).toEqual([]);
    expect(await summary([{ ...FRESH, past: true }])).toEqual([]);
    expect(await summary([{ signal: 'of-a-newer-release', text: 't' }])).toEqual([]);
  });

  it('say in words what happened, when, and how many targets are concerned', async () => {
    const [finding] = await judged([REQUIRES, LOST, FRESH], { targets: 41 });
    expect(finding?.title).toBe(
      'left-pad 1.4.0 was published 9 hours ago; it requires decoy; it has no provenance, and 1.3.0 had; 41 targets locked it since',
    );
    expect(finding?.suspicion).toEqual({
      score: 6,
      reasons: [
        { signal: 'young-requirement', points: 3, text: 'requires decoy' },
        { signal: 'provenance-lost', points: 2, text: 'has no provenance, and 1.3.0 had' },
        { signal: 'fresh-release', points: 1, text: 'was published 9 hours ago' },
      ],
    });
  });

  it('count by the levels of their rules', async () => {
    const rules = (level: string) => ({ policy: { rules: { 'young-requirement': { level } } } });
    expect(await summary([REQUIRES, LOST], rules('off'))).toEqual([['provenance-lost', 'note', 'low']]);
    expect(await summary([REQUIRES], rules('alert'))).toEqual([['young-requirement', 'alert', 'low']]);
  });

  it('that most updates have are reasons of findings, and findings where their rule has a level', async () => {
    const behind: Signal = { signal: 'behind', text: 'is on line 1' };
    const unmaintained: Signal = { signal: 'unmaintained', text: 't' };
    expect(await summary([FRESH, behind])).toEqual([]);
    expect(await summary([FRESH, unmaintained])).toEqual([['unmaintained', 'note', 'low']]);
    expect((await judged([FRESH, unmaintained]))[0]?.suspicion?.reasons).toHaveLength(2);
    const rules = { policy: { rules: { 'fresh-release': { level: 'note' } } } };
    expect(await summary([FRESH], rules)).toEqual([['fresh-release', 'note', 'low']]);
  });

  it('of a lost provenance count less for development', async () => {
    const moved: Signal = { signal: 'source-moved', text: 't' };
    expect(await summary([LOST, moved])).toEqual([['suspicious', 'alert', 'high']]);
    expect(await summary([LOST, moved], { groups: ['dev'] })).toEqual([['source-moved', 'note', 'low']]);
  });
});

describe('the table of points', () => {
  it('alerts for one signal only where the index says so, or the lockfile or the name itself is wrong', () => {
    const alone = Object.entries(POINTS).flatMap(([signal, grades]) =>
      Object.keys(grades).flatMap((grade) =>
        pointsOf({ signal, grade, text: '' }, []) >= INCIDENT_SCORE ? `${signal}/${grade}` : [],
      ),
    );
    expect(alone).toEqual([
      'index-finding/malicious',
      'index-finding/critical',
      'integrity-mismatch/foreign',
      'integrity-mismatch/unknown',
      'look-alike/near-young',
    ]);
  });
});
