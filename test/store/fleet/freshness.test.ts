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
    held: async (versions) => versions,
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
