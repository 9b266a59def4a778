import { beforeAll, describe, expect, it } from 'vitest';
import type { KnownPackages } from '../../src/model/scan/change.ts';
import type { Inventory } from '../../src/model/scan/inventory.ts';
import type { Outcome } from '../../src/model/scan/outcome.ts';
import { detectDataLoss, knownAfter } from '../../src/policy/known-packages.ts';
import { inventoryOf, lockfileOf, packageOf } from './facts.ts';

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const names = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `p${index + from}`);

function inventory(packages: readonly string[], outcomeOf: (index: number) => Outcome): Inventory {
  return inventoryOf(
    lockfileOf(
      packages.map((name, index) => {
        const outcome = outcomeOf(index);
        return packageOf(`${name}@1`, outcome === 'resolved' ? {} : { resolution: { outcome, reason: 'x' } });
      }),
    ),
  );
}

const all = (): Outcome => 'resolved';

/** The data loss between a scan in which the service knew all packages and one with these outcomes. */
async function lost(before: readonly string[], now: Inventory, seen = day(2)) {
  const known = await knownAfter(undefined, inventory(before, all), { requestedAt: day(1), seesAll: true });
  const packages = now.lockfiles.flatMap((file) => file.packages);
  return await detectDataLoss(
    known,
    packages,
    packages.map(({ resolution }) => resolution),
    seen,
  );
}

describe('a service that lost data', () => {
  it.each([
    ['all of them', 4, 4, true],
    ['more than half', 5, 3, true],
    ['half', 4, 2, false],
    ['one alone', 1, 1, false],
    ['most of very many', 20_000, 11_500, true],
    ['many of very many', 20_000, 8_500, false],
  ])('has lost %s: %i packages, %i unknown', async (_case, count, missing, expected) => {
    const now = inventory(names(count), (index) => (index < missing ? 'missing' : 'resolved'));
    expect((await lost(names(count), now)) !== undefined).toBe(expected);
  });

  it('is distinguished from packages that are new, removed, failed or private', async () => {
    const before = names(10);
    const after = [...names(3), ...names(50, 100)];
    expect(
      await lost(
        before,
        inventory(after, (index) => (index < 3 ? 'resolved' : 'missing')),
      ),
    ).toBeUndefined();
    expect(
      await lost(
        before,
        inventory(before, () => 'failed'),
      ),
    ).toBeUndefined();
    expect(
      await lost(
        before,
        inventory(before, () => 'private'),
      ),
    ).toBeUndefined();
  });

  it('is trusted when the sample is old', async () => {
    const now = inventory(names(4), () => 'missing');
    expect(await lost(names(4), now, day(40))).toEqual({ lost: 4, compared: 4 });
    expect(await lost(names(4), now, day(61))).toBeDefined();
    expect(await lost(names(4), now, day(62))).toBeUndefined();
  });
});

describe('the stored sample', () => {
  const scan = (number: number, seesAll = true) => ({ requestedAt: day(number), seesAll });
  let known: KnownPackages;

  beforeAll(async () => {
    known = await knownAfter(undefined, inventory(names(600), all), scan(1));
  });

  it('is a sample', () => {
    expect(known).toMatchObject({ at: day(1) });
    expect(known.hashes).toHaveLength(512);
  });

  it('survives a scan in which the service lost data or was unavailable', async () => {
    const failed = inventory(names(600), () => 'failed');
    expect(await knownAfter(known, failed, scan(2))).toEqual({ ...known, at: day(2) });
    const uncovered = inventory(names(600), () => 'uncovered');
    expect((await knownAfter(known, uncovered, scan(2))).hashes).toEqual(known.hashes);
    const loss = { ...failed, forgotten: { lost: 500, compared: 600 } };
    expect(await knownAfter(known, loss, scan(2))).toEqual(known);
  });

  it('keeps packages that a scan did not look up, and drops removed ones', async () => {
    expect((await knownAfter(known, inventory([], all), scan(2, false))).hashes).toEqual(known.hashes);
    expect((await knownAfter(known, inventory([], all), scan(2))).hashes).toEqual([]);
    expect(
      (
        await knownAfter(
          known,
          inventory(names(600), () => 'missing'),
          scan(2, false),
        )
      ).hashes,
    ).toEqual([]);
  });
});
