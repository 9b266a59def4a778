import { expect, it } from 'vitest';
import { createIdSet } from '../../../src/fleet/id-list.ts';
import { createFreshness } from '../../../src/store/fleet/freshness.ts';

/** `oldest`: what each look at the oldest answer finds. */
function freshnessOf(oldest: readonly (number | undefined)[]) {
  const looks = [...oldest];
  const none = { answeredBefore: async () => [], failure: async () => undefined };
  const packages = createIdSet([1]);
  return createFreshness({
    facts: {
      versions: { ...none, oldestSince: async () => looks.shift() },
      advisories: { ...none, oldestSince: async () => undefined },
    },
    held: async (versions) => new Set(versions),
    named: async (advisories) => new Set(advisories),
    affectedTargets: async () => [],
    packages: async () => packages,
    targetsHolding: async () => ['shop'],
  });
}

it('packages without any answer are out of date: Redis has lost the answers', async () => {
  const freshness = await freshnessOf([undefined, undefined])(1_000, 50);
  expect(freshness).toMatchObject({ stale: 1, staleTargets: new Set(['shop']) });
});

it('the first scan of an installation, stored while this looks, is not out of date', async () => {
  const freshness = await freshnessOf([undefined, 40])(1_000, 50);
  expect(freshness).toMatchObject({ oldest: 40, stale: 0, staleTargets: new Set() });
});

it('what no target needs any more is not out of date, such as an advisory that was withdrawn', async () => {
  const old = (key: string) => ({ key, at: 10 });
  const times = { failure: async () => undefined, oldestSince: async () => 10 };
  const freshness = await createFreshness({
    facts: {
      versions: { ...times, answeredBefore: async () => [old('held'), old('gone')] },
      advisories: { ...times, answeredBefore: async () => [old('GHSA-named'), old('GHSA-withdrawn')] },
    },
    held: async () => new Set(['held']),
    named: async () => new Set(['GHSA-named']),
    affectedTargets: async ({ versions, advisories }) => [...versions, ...advisories].map(({ key }) => key),
    packages: async () => createIdSet(),
    targetsHolding: async () => [],
  })(1_000, 5_000);
  expect(freshness).toMatchObject({ stale: 2, staleTargets: new Set(['held', 'GHSA-named']) });
});
