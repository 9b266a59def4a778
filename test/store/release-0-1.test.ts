import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readVerdict } from '../../src/jobs/scan/read-verdict.ts';
import { packJson } from '../../src/store/compression.ts';
import { createDeliveryStore } from '../../src/store/deliveries.ts';
import { createDigestStore } from '../../src/store/digests.ts';
import { createTargetStore } from '../../src/store/targets.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

/** As release 0.1.0 wrote them. */
const at = '2026-01-01T00:00:00Z';
const finding = {
  fingerprint: 'f',
  rule: 'missing',
  severity: 'high',
  title: 'a@1.0.0 does not exist in the package index',
  package: { ecosystem: 'npm', name: 'a', version: '1.0.0', purl: 'pkg:npm/a@1.0.0', groups: [] },
  locations: [],
};
const unknown = { ...finding, rule: 'vulnerability', severity: 'unknown' };
const target = { id: 't', labels: {} };
const counts = { critical: 0, high: 1, medium: 0, low: 0, none: 0, unknown: 1 };
const changes = [
  { transition: 'opened', finding },
  { transition: 'worsened', finding: { ...finding, rule: 'vulnerability' }, previousSeverity: 'unknown' },
];
const today = [
  { finding: { rule: 'unindexed', level: 'alert', severity: 'high', issue: '1.0.0', fingerprint: 'f' } },
  { finding: { rule: 'vulnerability', level: 'alert', severity: 'high' }, previousSeverity: 'unrated' },
];
const open = { critical: 0, high: 1, medium: 0, low: 0, none: 0, unrated: 1 };

describe('what release 0.1.0 saved reads as today:', () => {
  it('the state of a target', async () => {
    const tracked = { status: 'open', openedAt: at, changedAt: at };
    const findings = [
      { ...tracked, finding },
      { ...tracked, finding: unknown, worst: 'unknown' },
    ];
    const state = await packJson({ revision: 1, scan: 's', requestedAt: at, findings });
    await room.redis.hset(room.keys.target('t'), 'revision', '1', 'state', state);
    expect(await createTargetStore(room.redis, room.keys).read('t')).toMatchObject({
      findings: [
        { finding: { rule: 'unindexed', level: 'alert', severity: 'high' }, openedAt: at },
        { finding: { rule: 'vulnerability', level: 'alert', severity: 'unrated' }, worst: 'medium' },
      ],
    });
  });

  it('an alert that waits to be delivered', async () => {
    const notification = {
      id: 'msg_1',
      route: 'default',
      scan: 's',
      target,
      date: at,
      changes,
      open: counts,
      gaps: 0,
    };
    await room.redis.hset(room.keys.delivery('msg_1'), 'notification', await packJson(notification));
    const read = await createDeliveryStore(room.redis, room.keys).read('msg_1');
    expect(read).toMatchObject({ changes: today, open });
    expect(read?.open).not.toHaveProperty('unknown');
  });

  it('changes that wait for a periodic digest', async () => {
    const entry = { scan: 's', target, date: at, changes, open: counts, gaps: 0 };
    await room.redis.hset(room.keys.digest('daily'), 's', await packJson(entry));
    expect(await createDigestStore(room.redis, room.keys).read('daily')).toMatchObject([
      { changes: today, open },
    ]);
  });

  it('a verdict whose alerts are not made yet', async () => {
    const verdict = {
      scan: 's',
      target,
      changes,
      findings: [finding],
      gaps: [],
      counts: { severities: counts },
    };
    const outcomes = { read: async (job: string) => (job === 'judge-scan' ? verdict : undefined) };
    expect(await readVerdict(outcomes, 's')).toMatchObject({
      changes: today,
      findings: [{ rule: 'unindexed', level: 'alert' }],
      open,
      counts: { severities: open, notes: 0 },
    });
  });
});
