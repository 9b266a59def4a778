import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_FLEET, type FleetSnapshot, updateFleet } from '../../../src/fleet/view/fleet-snapshot.ts';
import { holdPackages } from '../../../src/fleet/view/held-packages.ts';
import { viewedTarget } from '../../../src/fleet/view/viewed-target.ts';
import { createPackageSearch } from '../../../src/store/fleet/package-search.ts';
import { createTargetSummaries } from '../../../src/store/fleet/target-summaries.ts';
import { gathered, npmFile, openFleet } from '../../store/fleet/fleet-room.ts';
import { openStoreRoom, type StoreRoom } from '../../store/store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

/** A fleet in Redis, and the same in memory. */
function openHeld(prefix: string) {
  const fleet = openFleet(room.redis, prefix);
  let snapshot: FleetSnapshot | undefined;
  const stored = {
    packageIds: fleet.packageIds,
    inventories: fleet.inventories,
    packageSearch: createPackageSearch(room.redis, fleet.keys),
    targetSummaries: createTargetSummaries(room.redis, fleet.keys),
  };
  return {
    ...fleet,
    stored,
    held: holdPackages(
      stored,
      () => snapshot,
      (target) => target !== 'of another shard',
    ),
    /** Follows the store. */
    async view(...targets: readonly string[]): Promise<void> {
      const read = targets.map(async (target) => {
        const summary = await stored.targetSummaries.read(target);
        return [target, summary && { target: viewedTarget(target, summary), findings: [] }] as const;
      });
      snapshot = await updateFleet(snapshot ?? EMPTY_FLEET, new Map(await Promise.all(read)), 100);
    },
  };
}

type Searched = ReturnType<typeof openHeld>['stored'];

async function listsOf({ inventories }: Searched): Promise<ReadonlyMap<string, Buffer>> {
  return new Map((await gathered(inventories.idLists())).flatMap((part) => [...part]));
}

async function holdersOf({ targetSummaries }: Searched, inventories: Iterable<string>) {
  return (await gathered(targetSummaries.holding(new Set(inventories)))).flat();
}

const QUERIES = [
  { name: 'lodash' },
  { name: 'LODASH', ecosystem: 'npm' },
  { name: '@corp/web-ui' },
  { name: 'a', ecosystem: 'npm' },
  { name: 'lodash', ecosystem: 'pypi' },
] as const;

describe('the packages of a fleet in memory', () => {
  it('are those in Redis, before and after it was read and when targets changed', async () => {
    const { stored, held, save, view } = openHeld('held');
    const agree = async () => {
      for (const query of QUERIES) {
        const found = await held.packageSearch.find(query);
        expect([...found].sort()).toEqual([...(await stored.packageSearch.find(query))].sort());
        expect(await held.packageSearch.similar(query)).toEqual(await stored.packageSearch.similar(query));
      }
      const lists = await listsOf(stored);
      expect(new Map([...(await listsOf(held))].sort())).toEqual(new Map([...lists].sort()));
      const names = async (from: Searched) =>
        (await holdersOf(from, lists.keys())).map(([target, { labels, lockfiles }]) => ({
          target,
          labels,
          lockfiles,
        }));
      const byTarget = (left: { target: string }, right: { target: string }) =>
        left.target < right.target ? -1 : 1;
      expect((await names(held)).sort(byTarget)).toEqual((await names(stored)).sort(byTarget));
    };
    await save('web', [npmFile('package-lock.json', ['lodash@4.17.20', 'a@1.0.0'])], {
      labels: { team: 'web' },
    });
    await agree();
    await view('web');
    await agree();
    await save('web', [npmFile('package-lock.json', ['lodash@4.17.21', '@corp/web-ui@1.0.0'])]);
    await save('api', [npmFile('b/package-lock.json', ['lodash@4.17.21', 'A@2.0.0'])]);
    await view('web', 'api');
    await agree();
    // Redis lost its last ids, and gave them out again.
    await room.redis.flushall();
    stored.packageIds.clear();
    await save('new', [npmFile('package-lock.json', ['lodash@5.0.0'])]);
    await view('web', 'api', 'new');
    await agree();
  });

  it('are read again only where they are new, and are those of one shard', async () => {
    const { stored, held, save, view } = openHeld('once');
    await save('web', [npmFile('package-lock.json', ['lodash@4.17.20'])]);
    await save('of another shard', [npmFile('package-lock.json', ['other@1.0.0'])]);
    await view('web', 'of another shard');
    const hashes = [...(await listsOf(stored)).keys()];
    expect(hashes).toHaveLength(2);
    expect((await listsOf(held)).size).toBe(1);
    expect((await holdersOf(held, hashes)).map(([target]) => target)).toEqual(['web']);
    await held.packageSearch.find({ name: 'lodash' });
    const before = await commands();
    await held.packageSearch.find({ name: 'lodash' });
    await listsOf(held);
    // The last id that was given out, and this question.
    expect((await commands()) - before).toBe(2);
  });
});

async function commands(): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await room.redis.info('stats'))?.[1]);
}
