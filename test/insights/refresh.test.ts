import { expect, test } from 'vitest';
import { InsightsError } from '../../src/insights/errors.ts';
import { createRefresh } from '../../src/insights/refresh.ts';
import { createEligibility } from '../../src/insights/resolve/eligibility.ts';
import type { Known } from '../../src/model/ports/shared-state.ts';
import type { VersionRecordSummary } from '../../src/model/scan/inventory.ts';
import { unhandledDuring } from '../unhandled.ts';
import { locked } from './fake-service.ts';

test('what a local data set does not cover changes nothing that is known, and makes it no fresher', async () => {
  const stored = new Map<string, Known<VersionRecordSummary>>([
    ['NPM:known@1.0.0', { record: {} as VersionRecordSummary }],
    ['NPM:absent@1.0.0', { missing: true }],
  ]);
  const learnt: string[] = [];
  const facts = {
    read: async (keys: readonly string[]) => keys.map((key) => stored.get(key)),
    changedSince: async () => new Map(),
    answeredAt: async (keys: readonly string[]) => keys.map(() => undefined),
    notAnswered: () => Promise.reject(new Error('not expected')),
    forgetTimes: async (keys: readonly string[]) => expect(keys).toEqual([]),
    async learn(entries: readonly (readonly [key: string, known: unknown])[]) {
      learnt.push(...entries.map(([key]) => key));
      return [];
    },
  };
  const { refreshVersions } = createRefresh({
    facts: { versions: facts, advisories: facts as never },
    eligibility: createEligibility({ privatePatterns: [], mirrors: [] }),
    async lookUpVersions(lookUps, _signal, settled) {
      const error = new InsightsError('uncovered', 'not in the local data set');
      settled(lookUps.map((lookUp) => [lookUp, { error }]));
    },
    loadAdvisory: () => Promise.reject(new Error('not expected')),
  });
  const packages = ['known', 'absent', 'other'].map((name) => locked(name));
  const refreshed = await refreshVersions(packages, { signal: new AbortController().signal, since: 1 });
  expect(refreshed).toMatchObject({
    // The version of which nothing was ever known needs no repetition.
    answered: 1,
    unknown: 1,
    failed: 2,
    unanswered: 2,
    lost: [],
    reason: 'not in the local data set',
  });
  expect(learnt).toEqual([]);
});

test('an answer that cannot be stored is an error of the refresh alone, also while others are awaited', async () => {
  const full = async () => {
    throw new Error('Redis has no memory left');
  };
  const facts = {
    read: async () => [],
    changedSince: async () => new Map(),
    answeredAt: async () => [],
    notAnswered: full,
    forgetTimes: async () => {},
    learn: full,
  };
  const { refreshVersions } = createRefresh({
    facts: { versions: facts, advisories: facts as never },
    eligibility: createEligibility({ privatePatterns: [], mirrors: [] }),
    async lookUpVersions(lookUps, _signal, settled) {
      const error = new InsightsError('unavailable', 'away');
      settled(lookUps.map((lookUp, index) => [lookUp, index === 0 ? { missing: true } : { error }]));
      await new Promise(setImmediate);
    },
    loadAdvisory: () => Promise.reject(new Error('not expected')),
  });
  const options = { signal: new AbortController().signal, since: 1 };
  const unhandled = await unhandledDuring(() =>
    expect(refreshVersions([locked('one'), locked('other')], options)).rejects.toThrow('no memory left'),
  );
  expect(unhandled).toEqual([]);
});
