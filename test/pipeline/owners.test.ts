import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { ADVISORY, idle, refresh } from './fleet.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

interface Event {
  readonly changes: readonly { readonly owners: readonly string[]; readonly locations: { path: string }[] }[];
}

/** What a receiver learned: owners with the paths of findings. */
function learned(path: string): readonly string[] {
  const bodies = world.services.receiver.deliveries().filter((one) => one.path === path);
  const changes = bodies.flatMap(({ body }) => (JSON.parse(body) as Event).changes);
  return [
    ...new Set(
      changes.map(({ owners, locations }) => `${owners.join()} ${locations.map((one) => one.path).join()}`),
    ),
  ];
}

it('findings belong to the owners of their lockfiles, and routes and lists follow them', async () => {
  const to = (name: string) => ({ url: `${world.services.receiver.url}/${name}` });
  const routes = [
    { name: 'web', match: { owners: '@acme/w*' }, webhook: to('owners-web') },
    { name: 'pay', match: { owners: ['@acme/pay'] }, webhook: to('owners-pay') },
  ];
  const owners = [{ target: 'sh*', paths: ['pay/'], owners: ['@acme/pay'] }];
  const room = await world.room(
    'owners',
    [`routes: ${JSON.stringify(routes)}`, 'firstScan: all', 'take: first'],
    { config: [`owners: ${JSON.stringify(owners)}`] },
  );
  const worker = room.work();
  const code = '* @acme/all\n/web/ @acme/web\n';
  const companions = [{ name: '../.github/CODEOWNERS', content: code }];
  await room.producer.enqueue({
    scan: 'one',
    target: { id: 'shop' },
    lockfiles: [
      { path: 'web/package-lock.json', content: SOUND, companions },
      { path: 'pay/package-lock.json', content: LOCKFILE },
    ],
  });
  await idle(room);
  expect(learned('/owners-pay')).toEqual(['@acme/pay pay/package-lock.json']);
  expect(learned('/owners-web')).toEqual([]);

  // A refresh reads no files: the owners are in the state of the target.
  world.services.insights.learnAdvisory(ADVISORY);
  await refresh(room);
  await idle(room);
  expect(learned('/owners-web')).toEqual(['@acme/web web/package-lock.json']);

  const listed = async (owner: string) => {
    const { output } = await room.lockhound('findings', '--json', '--owner', owner);
    const { findings } = JSON.parse(output) as { findings: { finding: { owners?: string[] } }[] };
    return new Set(findings.flatMap(({ finding }) => finding.owners ?? ['nobody']));
  };
  expect(await listed('@acme/web')).toEqual(new Set(['@acme/web']));
  expect(await listed('@acme/pay')).toEqual(new Set(['@acme/pay']));
  expect(await listed('@acme/other')).toEqual(new Set());
  await worker.stop();
});
