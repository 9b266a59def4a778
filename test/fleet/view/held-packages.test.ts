import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_FLEET, type FleetSnapshot, updateFleet } from '../../../src/fleet/view/fleet-snapshot.ts';
import { holdPackages } from '../../../src/fleet/view/held-packages.ts';
import { viewedTarget } from '../../../src/fleet/view/viewed-target.ts';
import { createTargetSummaries } from '../../../src/store/fleet/target-summaries.ts';
import { gathered, npmFile, openFleet } from '../../store/fleet/fleet-room.ts';
import { openStoreRoom, type StoreRoom } from '../../store/store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

/** A fleet in Redis, and its packages in memory. */
function openHeld(prefix: string) {
  const fleet = openFleet(room.redis, prefix);
  const summaries = createTargetSummaries(room.redis, fleet.keys);
  let snapshot: FleetSnapshot = EMPTY_FLEET;
  const held = holdPackages(fleet, (target) => target !== 'of another shard');
  return {
    ...fleet,
    held,
    /** Follows the store. */
    async view(...targets: readonly string[]): Promise<void> {
      const read = targets.map(async (target) => {
        const summary = await summaries.read(target);
        return [target, summary && { target: viewedTarget(target, summary), findings: [] }] as const;
      });
      snapshot = await updateFleet(snapshot, new Map(await Promise.all(read)), 100);
    },
    lists: async () => new Map([...(await held.idLists(snapshot))].flatMap((part) => [...part])),
  };
}

describe('the packages of a fleet in memory', () => {
  it('are those in Redis, also when targets changed and Redis lost ids', async () => {
    const { held, inventories, packageIds, save, view, lists } = openHeld('held');
    const found = async (name: string, ecosystem?: string) =>
      [...(await held.find({ name, ecosystem })).keys()].sort();
    const agree = async () => {
      const stored = new Map((await gathered(inventories.idLists())).flatMap((part) => [...part]));
      expect(new Map([...(await lists())].sort())).toEqual(new Map([...stored].sort()));
    };
    await save('web', [npmFile('package-lock.json', ['lodash@4.17.20', 'a@1.0.0'])]);
    await view('web');
    await agree();
    expect(await found('lodash')).toEqual(['NPM:lodash@4.17.20']);
    await save('web', [npmFile('package-lock.json', ['lodash@4.17.21', '@corp/web-ui@1.0.0'])]);
    await save('api', [npmFile('b/package-lock.json', ['lodash@4.17.21', 'A@2.0.0'])]);
    await view('web', 'api');
    await agree();
    expect(await found('lodash')).toEqual(['NPM:lodash@4.17.20', 'NPM:lodash@4.17.21']);
    expect([await found('LODASH', 'npm'), await found('lodash', 'pypi')]).toEqual([[], []]);
    expect(await found('@corp/web-ui')).toEqual(['NPM:@corp/web-ui@1.0.0']);
    expect(await held.similar({ name: 'dash' })).toEqual(['lodash (npm)']);
    expect(await held.similar({ name: 'lodahs' })).toEqual(['lodash (npm)']);
    expect(await held.similar({ name: 'hsadol' })).toEqual([]);
    // Redis lost its last ids, and gave them out again.
    await room.redis.flushall();
    packageIds.clear();
    await save('new', [npmFile('package-lock.json', ['lodash@5.0.0'])]);
    await view('web', 'api', 'new');
    await agree();
    expect(await found('lodash')).toEqual(['NPM:lodash@5.0.0']);
  });

  it('name what can be taken for a name', async () => {
    const { held, save } = openHeld('near');
    const names = [
      'lodash',
      'lod-ash',
      'react-router',
      'router-react',
      '@corp/ui',
      '@corq/ui',
      'something',
      'z',
    ];
    await save('web', [
      npmFile(
        'package-lock.json',
        names.map((name) => `${name}@1.0.0`),
      ),
    ]);
    const near = (name: string) => held.near({ name, ecosystem: 'npm' });
    expect(await near('lodahs')).toEqual([]);
    expect(await near('lodashh')).toEqual(['lodash']);
    expect(await near('lod.ash')).toEqual(['lod-ash', 'lodash']);
    expect(await near('react_router')).toEqual(['react-router', 'router-react']);
    expect(await near('@corp/ui')).toEqual(['@corp/ui', '@corq/ui']);
    expect(await near('sumethink')).toEqual(['something']);
    expect(await held.near({ name: 'lodashh', ecosystem: 'pypi' })).toEqual([]);
  });

  it('are read again only where they are new, and are those of one shard', async () => {
    const { held, save, view, lists } = openHeld('once');
    await save('web', [npmFile('package-lock.json', ['lodash@4.17.20'])]);
    await save('of another shard', [npmFile('package-lock.json', ['other@1.0.0'])]);
    await view('web', 'of another shard');
    expect((await lists()).size).toBe(1);
    await held.find({ name: 'lodash' });
    const before = await commands();
    await held.find({ name: 'lodash' });
    await lists();
    // The last id that was given out, and this question.
    expect((await commands()) - before).toBe(2);
  });
});

async function commands(): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await room.redis.info('stats'))?.[1]);
}
