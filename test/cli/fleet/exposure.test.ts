import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { npmFile } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());

const OPENED = {
  transition: 'opened',
  rule: 'malware',
  severity: 'critical',
  purl: 'pkg:npm/debug@4.4.2',
  advisory: 'MAL-1',
  aliases: ['CVE-1'],
} as const;

async function save(target: string, id: string, requestedAt: string, routes?: readonly string[]) {
  const labels = { team: target.slice(0, 1) };
  const findings = routes === undefined ? [] : [{ ...OPENED, routes }];
  await fleet.save(target, [npmFile('package-lock.json', ['app@1.0.0', id])], {
    labels,
    ledger: { requestedAt, findings },
  });
}

/** Appends an accepted alert, at a time. */
async function accepted(target: string, scan: string, route: string, at: string) {
  const entry = { at: Date.parse(at) / 1_000, scan, delivered: route };
  await fleet.redis.rpush(fleet.keys.ledger(target), JSON.stringify({ version: 1, entries: [entry] }));
}

beforeEach(async () => {
  fleet = await cli.fresh();
  const record = { isDefault: true, isDeprecated: false, licenses: [], advisoryIds: ['MAL-1'] };
  const versionKey = { system: 'NPM', name: 'debug', version: '4.4.2' };
  const version = { version: 1, record: { versionKey, ...record } };
  await fleet.redis.hset(fleet.keys.facts('version').facts, 'NPM:debug@4.4.2', JSON.stringify(version));
  const advisory = { version: 1, record: { id: 'MAL-1', url: '', title: 'Malware', aliases: ['CVE-1'] } };
  await fleet.redis.hset(fleet.keys.facts('advisory').facts, 'MAL-1', JSON.stringify(advisory));
  await save('a/shop', 'debug@4.4.1', '2026-09-01T00:00:00Z');
  await save('a/shop', 'debug@4.4.2', '2026-09-08T13:00:00Z');
  // Judged again, when the advisory appeared.
  await save('a/shop', 'debug@4.4.2', '2026-09-08T15:00:00Z', ['soc', 'digest']);
  await accepted('a/shop', 'a/shop-s2', 'soc', '2026-09-08T13:10:00Z');
  await accepted('a/shop', 'a/shop-s3', 'soc', '2026-09-08T15:30:00Z');
  await save('a/shop', 'debug@4.4.3', '2026-09-08T17:30:00Z');
  await save('b/late', 'debug@4.4.2', '2026-09-08T16:00:00Z', ['digest']);
  await save('b/never', 'debug@4.4.1', '2026-09-08T16:00:00Z');
});

async function exposure(...args: readonly string[]) {
  const { code, out } = await lockhound(['findings', 'exposure', ...args, '--json']);
  return { code, answer: JSON.parse(out) };
}

describe('lockhound findings exposure', () => {
  it.each(['MAL-1', 'CVE-1'])(
    'says since when targets were exposed to %s, and for how long',
    async (name) => {
      const { code, answer } = await exposure(name);
      expect(code).toBe(0);
      expect(answer).toMatchObject({ versions: ['pkg:npm/debug@4.4.2'], count: 2 });
      expect(answer.targets).toEqual([
        {
          target: 'a/shop',
          labels: { team: 'a' },
          purls: ['pkg:npm/debug@4.4.2'],
          exposedAt: '2026-09-08T13:00:00.000Z',
          openedAt: '2026-09-08T15:00:00.000Z',
          alertedAt: '2026-09-08T15:30:00.000Z',
          removedAt: '2026-09-08T17:30:00.000Z',
          isExposed: false,
          hoursBeforeAlert: 2.5,
          hoursAfterAlert: 2,
        },
        {
          target: 'b/late',
          labels: { team: 'b' },
          purls: ['pkg:npm/debug@4.4.2'],
          // What is not known is no time, and no hours.
          notKnownBefore: '2026-09-08T16:00:00.000Z',
          openedAt: '2026-09-08T16:00:00.000Z',
          isExposed: true,
        },
      ]);
    },
  );

  it('has the hours of each team and month, and texts for people', async () => {
    const { answer } = await exposure('MAL-1', '--by', 'team', '--label', 'team=a');
    expect(answer.groups).toEqual([
      {
        label: 'a',
        month: '2026-09',
        targets: 1,
        exposed: 0,
        alerted: 1,
        medianHoursBeforeAlert: 2.5,
        p95HoursBeforeAlert: 2.5,
        medianHoursAfterAlert: 2,
        p95HoursAfterAlert: 2,
      },
    ]);
    const { out } = await lockhound(['findings', 'exposure', 'CVE-1']);
    expect(out).toMatch(/exposed at +not known before +is exposed\n +a\/shop .* 2026-09-08 13:00 UTC +no\n/);
    expect(out).toMatch(/b\/late .* 2026-09-08 16:00 UTC +yes\n +opened at 2026-09-08 16:00 UTC\n/);
    expect(out).toMatch(/advisories +CVE-1\n +MAL-1/);
    expect((await exposure('MAL-2')).code).toBe(1);
  });
});
