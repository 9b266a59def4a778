import { expect, it } from 'vitest';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { Inspection } from '../../src/model/signal/inspection.ts';
import { judgeInventory } from '../../src/scan/judge.ts';
import { inventoryOf, lockfileOf, POLICY, packageOf } from '../policy/facts.ts';

const target = { id: 'shop/web', labels: {} };
const purl = 'pkg:npm/bad@1';
const SUSPICIOUS: Inspection = {
  inspectedAt: '2026-01-01T00:00:00Z',
  signals: [
    { signal: 'young-requirement', grade: 'package', text: 'requires x' },
    { signal: 'burst', grade: 'plain', text: 'is one of 3' },
  ],
  unknown: [],
};

/** The findings about `bad@1`, and whether the stored ones stay open. */
async function judged(
  inspections: ReadonlyMap<string, Inspection>,
  { previous, policy = POLICY }: { readonly previous?: TargetState; readonly policy?: typeof POLICY } = {},
) {
  const { findings, gaps, stillOpen } = await judgeInventory({
    judgedAt: 0,
    target,
    inventory: inventoryOf(lockfileOf([packageOf('bad@1')])),
    partial: false,
    advisories: { byId: new Map(), gaps: [] },
    graphs: { byKey: new Map(), gaps: [] },
    inspections,
    previous,
    policy,
  });
  const stored = previous?.findings.map(({ finding }) => finding) ?? [];
  return { findings, gaps, stays: stored.map((finding) => stillOpen(finding, () => false) !== undefined) };
}

it('a suspicion stays open while no inspection is known of its package, and only then', async () => {
  const { findings } = await judged(new Map([[purl, SUSPICIOUS]]));
  expect(findings.map(({ rule }) => rule)).toEqual(['suspicious']);
  const previous: TargetState = {
    revision: 1,
    scan: 's',
    requestedAt: '2026-01-01T00:00:00Z',
    findings: findings.map((finding) => {
      return { finding, status: 'open', openedAt: '2026-01-01T00:00:00Z', changedAt: '2026-01-01T00:00:00Z' };
    }),
  };
  expect(await judged(new Map(), { previous })).toEqual({ findings: [], gaps: [], stays: [true] });
  const cleared = new Map([[purl, { ...SUSPICIOUS, signals: [] }]]);
  expect((await judged(cleared, { previous })).stays).toEqual([false]);
  const policy = { ...POLICY, rules: { suspicious: { level: 'off' as const } } };
  expect((await judged(new Map(), { previous, policy })).stays).toEqual([false]);
});
