import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { knownUpgrades } from '../../../src/operations/dossiers/get.ts';
import { createDeliveryStore } from '../../../src/store/alerts/deliveries.ts';
import { createScanStore } from '../../../src/store/scans.ts';
import { notificationOf } from '../../notify/notification.ts';
import { npmFile, tracked } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());
beforeEach(async () => {
  fleet = await cli.fresh();
});

const numbered = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}${String(index).padStart(3, '0')}`);

async function answerOf(...args: readonly string[]) {
  return JSON.parse((await lockhound([...args, '--json'])).out);
}

it('a breakdown says how many names of labels it leaves out', async () => {
  const labels = (count: number) => Object.fromEntries(numbered(count, 'label').map((name) => [name, 'x']));
  const save = (count: number) =>
    fleet.save('shop', [npmFile('package-lock.json', ['a@1.0.0'])], {
      labels: labels(count),
      findings: [tracked('shop', 'a@1.0.0', 'high')],
    });
  await save(50);
  const whole = await answerOf('findings', 'breakdown', 'rule');
  expect([whole.labels.length, whole.omittedLabels]).toEqual([50, undefined]);
  await save(53);
  const cut = await answerOf('findings', 'breakdown', 'rule');
  expect([cut.labels.length, cut.omittedLabels]).toEqual([50, 3]);
});

it('a dossier says how many known upgrades it leaves out', () => {
  const remedies = numbered(13, 'package').map((name) => `${name} 1.0.1`);
  expect(knownUpgrades(remedies.slice(0, 10))).toMatch(/package009 1\.0\.1$/);
  expect(knownUpgrades(remedies)).toMatch(
    /^known upgrades: package000 1\.0\.1; .*package009 1\.0\.1; and 3 more$/,
  );
});

it('a scan says how many of its deliveries it leaves out', async () => {
  const deliveries = createDeliveryStore(fleet.redis, fleet.keys);
  const date = new Date().toISOString();
  const failed = {
    scan: 's',
    target: 'shop',
    state: 'failed',
    requestedAt: date,
    reason: 'no',
    deliveries: 103,
  };
  await createScanStore(fleet.redis, fleet.keys).fail(failed as never);
  for (const id of numbered(103, 'msg_'))
    await deliveries.file({ id, key: id, route: id, target: 'shop', scan: 's', date }, notificationOf());
  const cut = await answerOf('scans', 'get', 's');
  expect([cut.deliveries.length, cut.omitted]).toEqual([100, 3]);
  expect((await lockhound(['scans', 'get', 's'])).out).toMatch(/omitted +3/);
});
