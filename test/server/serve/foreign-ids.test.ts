import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBundledDescription } from '../../../src/discovery/bundled.ts';
import { methodsOf } from '../../../src/discovery/description/methods.ts';
import { INGEST_LOCKFILES } from '../../../src/jobs/payloads/ingest-lockfiles.ts';
import { scanIdOf } from '../../../src/model/scan/scan-id.ts';
import { principalOf } from '../../../src/operations/principal.ts';
import { createDeliveryStore } from '../../../src/store/alerts/deliveries.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { notificationOf } from '../../notify/notification.ts';
import { tracked } from '../../store/fleet/fleet-room.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

/*
 * A caller who sees some targets asks for what belongs to others. The answer is the one for what does not exist.
 */
const METHODS = methodsOf(await readBundledDescription('lockhound.v1'));
const lockfiles = [{ path: 'package-lock.json', content: '{"lockfileVersion":3,"packages":{}}' }];

let room: Awaited<ReturnType<typeof openServeRoom>>;
let api: Awaited<ReturnType<typeof room.serve>>;
const headers: Record<'admin' | 'team', Record<string, string>> = {} as never;
/** Of each parameter: a value of another team, and one that does not exist. */
const values: Record<string, readonly [foreign: string, unknown: string]> = {};

const call = (who: 'admin' | 'team', method: string, path: string, body?: object) =>
  api.request(`/api/v1/${path}`, {
    method,
    headers: { ...headers[who], ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

beforeAll(async () => {
  room = await openServeRoom();
  const [fleet] = room.fleets;
  if (fleet === undefined) throw new RangeError();
  const finding = tracked('b/bank', 'ms@1.0.0', 'high');
  await fleet.save('a/shop', [], { findings: [] });
  await fleet.save('b/bank', [], { findings: [finding] });
  const tokens = newTokens(createApiTokenStore(room.redis, fleet.keys));
  const { token, id: tokenId } = await tokens.create({ name: 'admin', role: 'admin' });
  headers.admin = { authorization: `Bearer ${token}` };
  headers.team = {
    authorization: `Bearer ${(await tokens.create({ name: 'team', role: 'admin', targets: ['a/*'] })).token}`,
  };
  api = await room.serve({}, token);
  const deliveries = createDeliveryStore(room.redis, fleet.keys, { retentionMs: 3_600_000, keptAttempts: 3 });
  const delivery = { id: 'm1', key: 'm1.default', route: 'default', target: 'b/bank', scan: 's' };
  await deliveries.file({ ...delivery, date: '2026-04-30T00:00:00Z' }, notificationOf());
  const source = { kind: 'url', urls: ['https://files.example/go.sum'] };
  const schedule = { name: 'nightly', source, target: 'b/files', every: '1d' };
  const added = [
    await call('admin', 'POST', 'scans', { target: 'b/bank', scan: 'ci-1', lockfiles }),
    await call('admin', 'POST', 'schedules', schedule),
    await call('admin', 'POST', 'suppressions', { target: 'b/bank', package: 'pkg:npm/ms', reason: 'x' }),
  ];
  expect(added.map(({ status, text }) => (status < 300 ? '' : text))).toEqual(['', '', '']);
  Object.assign(values, {
    target: ['b/bank', 'b/none'],
    fingerprint: [finding.finding.fingerprint, 'none'],
    delivery: ['m1', 'm2'],
    scan: [scanIdOf('b/bank', 'ci-1'), scanIdOf('b/none', 'ci-1')],
    schedule: ['nightly', 'monthly'],
    suppression: [added[2]?.json.id, 'none'],
    token: [tokenId, '0'.repeat(12)],
    route: ['default', 'other'],
    job: ['ingest-lockfiles', 'judge-scan'],
    id: ['1', '2'],
  });
});
afterAll(() => room.close());

/** Parameters that methods require. */
const QUERY: Readonly<Record<string, string>> = { package: 'ms' };
const WITH_ID = METHODS.filter(({ description }) =>
  Object.values(description.parameters ?? {}).some(({ location }) => location === 'path'),
);
const OF_A_TARGET = METHODS.filter(
  ({ id, httpMethod, description }) =>
    httpMethod === 'GET' &&
    description.parameters?.['target']?.location === 'query' &&
    id !== 'lockhound.events.stream',
);

describe('what belongs to another team is as unknown as what does not exist', () => {
  it.each(WITH_ID.map((method) => [method.id, method] as const))(
    '%s',
    async (_id, { httpMethod, path, description }) => {
      const asked = Object.entries(description.parameters ?? {}).filter(
        ([, { location, required }]) => location === 'query' && required === true,
      );
      const query = new URLSearchParams(Object.fromEntries(asked.map(([name]) => [name, QUERY[name] ?? ''])));
      const answers = [];
      for (const which of [0, 1] as const) {
        let used = path;
        const names: string[] = [];
        for (const [whole, name = ''] of path.matchAll(/\{\+?(\w+)\}/g)) {
          const value = values[name]?.[which] ?? '';
          expect(value, name).not.toBe('');
          names.push(value);
          used = used.replace(whole, encodeURIComponent(value));
        }
        const { status, text, headers: own } = await call('team', httpMethod, `${used}?${query}`);
        let said = text.replace(/"instance":"[^"]*"/, '');
        for (const name of names) said = said.replaceAll(name, '<id>');
        answers.push({ status, said, type: own.get('content-type'), names: [...own.keys()].sort() });
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]?.status).toBeGreaterThanOrEqual(403);
      expect(answers[0]?.status).toBeLessThanOrEqual(404);
    },
  );

  it.each(OF_A_TARGET.map((method) => [method.path, method] as const))(
    '%s of a target',
    async (path, { description }) => {
      const by = description.parameters?.['by']?.required === true ? 'by=age&' : '';
      const [foreign, unknown] = await Promise.all(
        ['b/bank', 'b/none'].map((target) =>
          call('team', 'GET', `${path}?${by}target=${encodeURIComponent(target)}`),
        ),
      );
      const withoutInstance = (text = '') =>
        text.replace(/"instance":"[^"]*"/, '').replaceAll('b/none', 'b/bank');
      expect([foreign?.status, withoutInstance(foreign?.text)]).toEqual([
        unknown?.status,
        withoutInstance(unknown?.text),
      ]);
      expect([200, 404]).toContain(foreign?.status);
      expect(foreign?.text).not.toMatch(/"total":[1-9]|ms@|m1|ci-1/);
    },
  );

  it('a delivery that is sent again', async () => {
    const retry = async (id: string) =>
      (await call('team', 'POST', `deliveries/retry?delivery=${id}`)).text.replaceAll(id, '<id>');
    expect(await retry('m1')).toBe(await retry('m2'));
    const all = await call('team', 'POST', 'deliveries/retry?state=waiting');
    expect(all.json).toEqual({ deliveries: [] });
  });

  it('and nothing of it was changed', async () => {
    expect((await call('admin', 'GET', 'targets/b%2Fbank')).status).toBe(200);
    expect((await call('admin', 'GET', 'deliveries/m1')).json.delivery).toMatchObject({ state: 'waiting' });
    expect((await call('admin', 'GET', 'schedules/nightly')).json.schedule).toMatchObject({ paused: false });
    expect((await call('admin', 'GET', 'suppressions')).json.suppressions).toHaveLength(1);
    expect((await call('admin', 'GET', 'tokens')).json.tokens).toHaveLength(2);
  });
});

it('a scan is found by its id though another team chose that id for one of its own', async () => {
  const [foreign = ''] = values['scan'] ?? [];
  await call('team', 'POST', 'scans', { target: 'a/shop', scan: foreign, lockfiles });
  const found = async (who: 'admin' | 'team') =>
    (await call(who, 'GET', `scans/${foreign}`)).json.scan.target;
  expect([await found('admin'), await found('team')]).toEqual(['b/bank', 'a/shop']);
});

it('a queued scan is found behind more jobs of another team than are listed', {
  timeout: 200_000,
}, async () => {
  const { scan } = (await call('team', 'POST', 'scans', { target: 'a/shop', scan: 'mine', lockfiles })).json;
  const queue = new Queue(INGEST_LOCKFILES.name, { connection: room.redis, prefix: createKeys().prefix });
  const jobs = Array.from({ length: 1_200 }, (_, index) => {
    const payload = {
      scan: `flood-${index}`,
      target: { id: 'b/bank' },
      lockfiles,
      requestedAt: '2026-05-01T00:00:00Z',
    };
    return { name: queue.name, data: { version: 1, key: payload.scan, payload } };
  });
  await queue.addBulk(jobs);
  const { status, json } = await call('team', 'GET', `scans/${scan}`);
  expect([status, json.scan]).toMatchObject([200, { target: 'a/shop', state: 'queued' }]);
  expect((await call('team', 'GET', `scans/${scanIdOf('b/bank', 'flood-1')}`)).status).toBe(404);
  const page = (await call('admin', 'GET', 'scans?state=queued&pageSize=100')).json;
  expect([page.scans.length, page.omitted]).toEqual([100, 900]);
  expect((await call('team', 'GET', 'scans?state=queued')).json.omitted).toBeUndefined();
  await queue.close();
});

it('a person whom a proxy names like a token is another caller: no key, rate or reader is shared', () => {
  const name = 'ci (0123456789ab)';
  const same = { name, role: 'submit', targets: ['a/*'] } as const;
  const [token, session, person] = (['token', 'session', 'proxy'] as const).map((via) =>
    principalOf({ ...same, via }),
  );
  expect(session?.identity).toBe(token?.identity);
  expect(person?.identity).not.toBe(token?.identity);
  // Webhooks of pushes are remembered under this name.
  expect(principalOf({ ...same, name: 'known', via: 'proxy' }).identity).not.toBe('known');
});
