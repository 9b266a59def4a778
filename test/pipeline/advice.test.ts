import { expect, it } from 'vitest';
import { NO_ROUTING } from '../../src/compose/ports.ts';
import type { IndexedPackage } from '../../src/embedded/insights/data-set.ts';
import { settingsDue } from '../../src/jobs/refresh/select-targets.ts';
import { ADVICE_PENDING } from '../../src/jobs/scan/known-advice.ts';
import { enqueue, idle, scan } from './fleet.ts';
import { createWorld } from './world.ts';

function packageOf(
  name: string,
  versions: Readonly<Record<string, Readonly<Record<string, string>>>>,
): IndexedPackage {
  return {
    system: 'NPM',
    name,
    default: Object.keys(versions).at(-1),
    // Old ones, which no first scan inspects.
    versions: Object.entries(versions).map(([version, dependencies]) => {
      return { version, dependencies, publishedAt: '2020-01-01T00:00:00Z' };
    }),
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
    const routes = [
      { name: 'upgrades', match: { fixable: true }, webhook: { url: `${receiver.url}/upgrades` } },
    ];
    const room = await world.room('advice', [`routes: ${JSON.stringify(routes)}`]);
    const upgradesOf = () =>
      receiver
        .deliveries()
        .filter(({ path }) => path === '/upgrades')
        .flatMap(({ body }) => JSON.parse(body).changes)
        .map(({ target, transition }) => `${target} ${transition}`);
    room.work();
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

    // The target that was judged before its fix was known is judged again, and only this route gets it.
    expect(upgradesOf()).toEqual(['two opened']);
    const alerts = receiver.deliveries().length;
    for (const settings of ['a', 'b']) {
      await enqueue(room, settingsDue(settings.repeat(64), { now: NO_ROUTING }, new Date()));
      await idle(room);
    }
    expect(upgradesOf()).toEqual(['two opened', 'one opened']);
    expect(receiver.deliveries()).toHaveLength(alerts + 1);
    expect(lastAlert()).toMatchObject({ target: 'one', advice: ADVICE, since: expect.any(String) });
    const listed = await room.lockhound('findings', '--fixable', '--json');
    const { findings } = JSON.parse(listed.output);
    expect(findings.map(({ target }: { readonly target: string }) => target)).toEqual(['one', 'two']);
    expect(findings[0].finding.fixes).toEqual([{ kind: 'upgrade-direct', version: '1.0.2' }]);
  } finally {
    await world.close();
  }
});
