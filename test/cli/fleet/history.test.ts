import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDeliveryStore } from '../../../src/store/alerts/deliveries.ts';
import { notificationOf } from '../../notify/notification.ts';
import { npmFile } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());

const EDGES = { 'app@1.0.0': ['debug@4.4.2'] };

beforeEach(async () => {
  fleet = await cli.fresh();
  const save = (id: string, requestedAt: string, more: object = {}) =>
    fleet.save('org/shop', [npmFile('package-lock.json', ['app@1.0.0', id], EDGES)], {
      ledger: { requestedAt, ...more },
    });
  await save('debug@4.4.1', '2026-09-01T00:00:00Z');
  await save('debug@4.4.2', '2026-09-08T13:00:00Z', {
    commit: 'c'.repeat(40),
    findings: [
      {
        transition: 'opened',
        rule: 'malware',
        severity: 'critical',
        purl: 'pkg:npm/debug@4.4.2',
        advisory: 'MAL-1',
        routes: ['soc'],
      },
    ],
  });
  const identity = { id: 'd1', key: 'k', route: 'soc', target: 'org/shop', scan: 'org/shop-s2', date: 'd' };
  await createDeliveryStore(fleet.redis, fleet.keys).file(identity, notificationOf());
  await fleet.outcomes.save('deliver-notification', 'k', {
    result: {},
    next: [],
    delivered: { ...identity, content: undefined },
  });
  await save('debug@4.4.3', '2026-09-08T17:00:00Z');
});

async function json(...args: readonly string[]) {
  const { code, out, note } = await lockhound(['targets', ...args, '--json']);
  return { code, note, answer: out === '' ? undefined : JSON.parse(out) };
}

describe('lockhound targets history', () => {
  it('lists what each scan changed, the newest first', async () => {
    const { code, out } = await lockhound(['targets', 'history', 'org/shop']);
    expect(code).toBe(0);
    const [last = '', second = '', first = ''] = out.split(/\n {2}(?=2026-)/).slice(1);
    expect(last).toMatch(
      /^2026-09-08 17:00 UTC\n[\s\S]*came \(1\)[\s\S]*4\.4\.3\n[\s\S]*went \(1\)[\s\S]*4\.4\.2/,
    );
    expect(second).toMatch(
      /commit {2}c{40}\n[\s\S]*through\n.*app@1\.0\.0\n[\s\S]*MAL-1 +soc\n[\s\S]*delivered \(1\)/,
    );
    expect(first).toBe('2026-09-01\n    scan   org/shop-s1\n    start  yes\n');
    expect(out).toMatch(/^target +org\/shop\nknown since +2026-09-01\n/);
  });

  it('joins pages', async () => {
    for (let scan = 0; scan < 120; scan += 1)
      await fleet.save('org/many', [npmFile('package-lock.json', [`app@${scan}.0.0`])]);
    const { answer } = await json('history', 'org/many');
    const names = Array.from({ length: 120 }, (_, index) => `org/many-s${123 - index}`);
    expect(answer.scans.map(({ scan }: { scan: string }) => scan)).toEqual(names);
  });

  it('has filters', async () => {
    const scans = async (...args: readonly string[]) =>
      (await json('history', 'org/shop', ...args)).answer.scans.map(({ scan }: { scan: string }) => scan);
    expect(await scans('--limit', '1')).toEqual(['org/shop-s3']);
    expect(await scans('--search', '4.4.1')).toEqual(['org/shop-s2']);
    expect(await scans('--since', '2026-09-08T14:00Z')).toEqual(['org/shop-s3']);
    expect(await scans('--lockfile', 'other.lock')).toEqual([]);
    expect((await json('history', 'org/other')).code).toBe(2);
  });

  it('leaves out a package whose name is lost', async () => {
    await fleet.redis.hdel(
      fleet.keys.packageNames,
      String([...(await fleet.packageIds.find(['NPM:debug@4.4.1'])).values()][0]),
    );
    const { answer } = await json('history', 'org/shop');
    expect(answer.scans[1].went).toEqual([]);
  });
});

describe('lockhound targets blame', () => {
  it('says which commit brought a package, through whom, and which scan removed it', async () => {
    const { code, out } = await lockhound(['targets', 'blame', 'org/shop', 'debug']);
    expect(code).toBe(0);
    const commit = 'c'.repeat(40);
    expect(out).toBe(`target  org/shop
periods (3)
  in each: lockfile package-lock.json; name debug
  target    version  through    not known before
  org/shop  4.4.3
      from 2026-09-08 17:00 UTC
  org/shop  4.4.2    app@1.0.0
      from 2026-09-08 13:00 UTC ${commit}; until 2026-09-08 17:00 UTC
  org/shop  4.4.1               2026-09-01
      until 2026-09-08 13:00 UTC ${commit}
`);
    const { answer } = await json('blame', 'org/shop', 'pkg:npm/app');
    expect(answer.periods).toMatchObject([{ direct: true, notKnownBefore: '2026-09-01T00:00:00.000Z' }]);
    expect((await json('blame', 'org/shop', 'lodash')).code).toBe(1);
    expect((await json('blame', 'org/other', 'lodash')).code).toBe(2);
  });
});
