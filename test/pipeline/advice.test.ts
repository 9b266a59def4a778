import { expect, it } from 'vitest';
import type { IndexedPackage } from '../../src/embedded/insights/data-set.ts';
import { ADVICE_PENDING } from '../../src/jobs/scan/known-advice.ts';
import { scan } from './fleet.ts';
import { createWorld } from './world.ts';

function packageOf(
  name: string,
  versions: Readonly<Record<string, Readonly<Record<string, string>>>>,
): IndexedPackage {
  return {
    system: 'NPM',
    name,
    default: Object.keys(versions).at(-1),
    versions: Object.entries(versions).map(([version, dependencies]) => ({ version, dependencies })),
  };
}

const LOCKFILE = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { 'advice-server': '1.0.0' } },
    'node_modules/advice-server': { version: '1.0.0', dependencies: { 'advice-parser': '1.0.0' } },
    'node_modules/advice-parser': { version: '1.0.0' },
  },
});

const ADVICE = 'Upgrade advice-server 1.0.0 → 1.1.0, which brings advice-parser 1.0.2.';

it('the first alert says that advice is being looked up, later ones have it, and it is found out once', async () => {
  const world = await createWorld();
  try {
    const { insights, receiver } = world.services;
    insights.putPackage(packageOf('advice-parser', { '1.0.0': {}, '1.0.1': {}, '1.0.2': {} }));
    insights.putPackage(
      packageOf('advice-server', {
        '1.0.0': { 'advice-parser': '1.0.0' },
        '1.1.0': { 'advice-parser': '1.0.2' },
        '1.2.0': { 'advice-parser': '1.0.2' },
      }),
    );
    insights.learnAdvisory({
      id: 'GHSA-advi-advi-advi',
      title: 'Invented',
      aliases: [],
      score: 9.8,
      vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      affected: [{ system: 'NPM', name: 'advice-parser', range: '<1.0.2' }],
      heldBack: false,
    });
    const room = await world.room('advice', []);
    room.startWorker();
    const lastAlert = () => JSON.parse(receiver.deliveries().at(-1)?.body ?? '{}').changes[0];

    await scan(room, 'one', LOCKFILE);
    expect(lastAlert()).toMatchObject({ target: 'one', transition: 'opened', advice: ADVICE_PENDING });
    const { requests } = insights.stats();
    expect(requests.get('insights.getPackage')).toBe(2);

    await scan(room, 'two', LOCKFILE);
    expect(lastAlert()).toMatchObject({ target: 'two', transition: 'opened', advice: ADVICE });
    const after = insights.stats().requests;
    expect(after.get('insights.getPackage')).toBe(2);
    expect(after.get('insights.getDependencies')).toBe(requests.get('insights.getDependencies'));
  } finally {
    await world.close();
  }
}, 60_000);
