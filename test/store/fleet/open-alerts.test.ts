import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTargetRemoval } from '../../../src/store/fleet/forget-target.ts';
import { alertRef, createOpenAlerts, openAlertSteps, refsIn } from '../../../src/store/fleet/open-alerts.ts';
import { createTargetSummaries } from '../../../src/store/fleet/target-summaries.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';
import { openFleet, tracked } from './fleet-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

it('are stored once for all targets, and removed when no target has them', async () => {
  const { keys, save } = openFleet(room.redis, 'alerts');
  const alerts = createOpenAlerts(room.redis, keys);
  const shared = tracked('any', 'x@1', 'high');
  await save('a', [], { findings: [shared, tracked('a', 'y@1', 'low', { status: 'resolved' })] });
  await save('b', [], { findings: [shared, tracked('b', 'z@1', 'low')] });
  const stored = await alerts.read();
  expect(stored.alerts.size).toBe(2);
  expect([...refsIn(stored.targets.get('a') ?? '')]).toEqual([alertRef(shared.finding)]);
  expect(stored.alerts.get(alertRef(shared.finding))).toMatchObject({
    severity: 'high',
    title: shared.finding.title,
  });
  const forget = createTargetRemoval(room.redis, keys, createTargetSummaries(room.redis, keys));
  await forget('b');
  await alerts.forgetUnused();
  const left = await alerts.read();
  expect([[...left.targets.keys()], left.alerts.size]).toEqual([['a'], 1]);
});

it('of a target with too many are not stored, so that its state is read', () => {
  const { keys } = openFleet(room.redis, 'many');
  const findings = Array.from({ length: 2_001 }, (_, index) => tracked('a', `p${index}@1`, 'low'));
  expect(openAlertSteps(keys, 'a', findings)).toEqual([
    { name: 'HDEL', keys: [keys.alertsOfTargets], values: ['a'] },
  ]);
});
