import { type ClientRequest, request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFleetStore } from '../../../src/compose/fleet-store.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { scanIdOf } from '../../../src/model/scan/scan-id.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { tracked } from '../../store/fleet/fleet-room.ts';
import { until } from '../../until.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
let api: Awaited<ReturnType<typeof room.serve>>;
const headers: Record<'admin' | 'team' | 'reader', Record<string, string>> = {} as never;
beforeAll(async () => {
  room = await openServeRoom();
  const [fleet] = room.fleets;
  if (fleet === undefined) throw new RangeError();
  await fleet.save('a/shop', [], { findings: [tracked('a/shop', 'ms@1.0.0', 'high')] });
  await fleet.save('b/bank', [], { findings: [] });
  const tokens = newTokens(createApiTokenStore(room.redis, fleet.keys));
  for (const [name, role, targets] of [
    ['admin', 'admin', ['*']],
    ['team', 'submit', ['a/*']],
    ['reader', 'read', ['*']],
  ] as const) {
    const { token } = await tokens.create({ name, role, targets });
    headers[name] = { authorization: `Bearer ${token}` };
  }
  api = await room.serve(
    { LOCKHOUND_SERVE_MAX_BODY_BYTES: '2000000' },
    headers.admin['authorization']?.slice(7),
  );
});
afterAll(() => room.close());

const json = (
  own: Record<string, string>,
  body: unknown,
  more: Record<string, string> = {},
): RequestInit => ({
  method: 'POST',
  headers: { ...own, 'content-type': 'application/json', ...more },
  body: JSON.stringify(body),
});
const post = (path: string, init: RequestInit) => api.request(`/api/v1/${path}`, { method: 'POST', ...init });
const lockfiles = [{ path: 'package-lock.json', content: '{"lockfileVersion":3,"packages":{}}' }];

async function queued(scan: string) {
  const { shards, queueOf, close } = await openFleetStore(loadConfig({ environment: room.environment }));
  try {
    const [shard] = shards;
    if (shard === undefined) throw new RangeError();
    const jobs = await (await queueOf(shard, 'ingest-lockfiles')).getJobs(['waiting']);
    return jobs.map(({ data }) => data.payload).filter((payload) => payload.scan === scan);
  } finally {
    await close();
  }
}

describe('a submitted scan', () => {
  it('waits on the queue: from JSON, compressed JSON and a form', async () => {
    const target = 'a/shop';
    const plain = await post(
      'scans',
      json(headers.team, { target, labels: { team: 'a' }, lockfiles, scan: 'plain' }),
    );
    expect([plain.status, plain.json]).toEqual([202, { scan: scanIdOf('a/shop', 'plain') }]);
    const gzipped = await post('scans', {
      headers: { ...headers.team, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(JSON.stringify({ target, lockfiles, scan: 'gzipped' }))),
    });
    expect([gzipped.status, gzipped.text]).toEqual([
      202,
      JSON.stringify({ scan: scanIdOf('a/shop', 'gzipped') }),
    ]);
    const form = new FormData();
    for (const [name, value] of [
      ['target', target],
      ['label', 'team=a'],
      ['scan', 'form'],
    ] as const)
      form.append(name, value);
    form.append('file', new Blob([lockfiles[0]?.content ?? '']), 'web/package-lock.json');
    expect((await post('scans', { headers: headers.team, body: form })).json).toEqual({
      scan: scanIdOf('a/shop', 'form'),
    });
    const contents = await Promise.all(
      ['plain', 'gzipped', 'form'].map((scan) => queued(scanIdOf(target, scan))),
    );
    const [first, second, third] = contents.map(([payload]) => payload.lockfiles[0]);
    expect(first).toEqual(second);
    expect(third).toEqual({ ...first, path: 'web/package-lock.json' });
  });

  it('says which of its files the caller could not read', async () => {
    const unread = { code: 'too-large', message: 'larger than the limit' };
    const body = { target: 'a/shop', scan: 'unread', lockfiles: [{ path: 'go.sum', unread }] };
    expect((await post('scans', json(headers.team, body))).status).toBe(202);
    const [payload] = await queued(scanIdOf('a/shop', 'unread'));
    expect(payload.lockfiles).toEqual([{ path: 'go.sum', unread }]);
  });

  it('of a release keeps its lockfiles, and is seen by those alone who see its target', async () => {
    const body = { target: 'a/shop', release: '2.4.1', supportedUntil: '2028-01-01' };
    const submit = (own: Record<string, string>, more: object) =>
      post('scans', json(own, { ...body, lockfiles, ...more }));
    const first = await submit(headers.team, { scan: 'released' });
    expect([first.status, first.json]).toEqual([202, { scan: scanIdOf('a/shop@release:2.4.1', 'released') }]);
    const [payload] = await queued(first.json.scan);
    expect(payload).toMatchObject({ ...body, target: { id: 'a/shop@release:2.4.1' } });
    expect((await submit(headers.team, {})).status).toBe(202);
    const other = await submit(headers.team, { lockfiles: [{ path: 'package-lock.json', content: '{}' }] });
    expect([other.status, other.json.type]).toEqual([409, 'urn:lockhound:problem:release-exists']);
    expect(other.json.detail).toContain('release 2.4.1 of a/shop has other lockfiles');
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...body, scan: 'form-release' })) form.append(name, value);
    form.append('file', new Blob([lockfiles[0]?.content ?? '']), 'package-lock.json');
    expect((await post('scans', { headers: headers.team, body: form })).status).toBe(202);
    // A name that looks like the target of another team is that of a release of the own target.
    const crossing = [
      { target: 'b/bank' },
      { target: 'b/bank@release:2.4.1' },
      { target: 'b/bank', release: 'a/shop' },
    ];
    for (const more of crossing) expect((await submit(headers.team, more)).status).toBe(404);
    expect((await submit(headers.team, { release: 'a@b:c' })).status).toBe(400);
    const source = { url: 'https://example.com/package-lock.json' };
    expect((await post('scans', json(headers.admin, { ...body, source }))).status).toBe(400);
  });

  it('has an id of its target: another content is refused, and a foreign id is as unknown as none', async () => {
    const submit = (own: Record<string, string>, target: string, content: string) =>
      post(
        'scans',
        json(own, { target, scan: 'ci-4711', lockfiles: [{ path: 'package-lock.json', content }] }),
      );
    const foreign = await submit(headers.admin, 'b/bank', lockfiles[0]?.content ?? '');
    const own = await submit(headers.team, 'a/shop', 'other');
    expect([foreign.status, own.status]).toEqual([202, 202]);
    expect(own.json).toEqual({ scan: scanIdOf('a/shop', 'ci-4711') });
    expect((await submit(headers.team, 'a/shop', 'other')).json).toEqual(own.json);
    const taken = await submit(headers.team, 'a/shop', 'third');
    expect([taken.status, taken.json.type]).toEqual([409, 'urn:lockhound:problem:scan-exists']);
    expect(await queued(scanIdOf('a/shop', 'ci-4711'))).toHaveLength(1);
    const get = (scan: string) => api.request(`/api/v1/scans/${scan}`, { headers: headers.team });
    for (const scan of ['ci-4711', scanIdOf('a/shop', 'ci-4711')]) {
      expect((await get(scan)).json).toMatchObject({ scan: { target: 'a/shop', state: 'queued' } });
    }
    const [unseen, absent] = [
      await get(scanIdOf('b/bank', 'ci-4711')),
      await get(scanIdOf('b/none', 'ci-4711')),
    ];
    expect([unseen.status, absent.status]).toEqual([404, 404]);
    const textOf = ({ detail }: { detail: string }) => detail.replace(/[0-9a-f]{20}/, '');
    expect(textOf(unseen.json)).toBe(textOf(absent.json));
  });

  it.each([
    ['a foreign target', () => json(headers.team, { target: 'b/bank', lockfiles }), 404],
    ['the wrong role', () => json(headers.reader, { target: 'a/shop', lockfiles }), 403],
    ['a target with half of a character', () => json(headers.team, { target: 'a/\ud800', lockfiles }), 400],
    ['no lockfile', () => json(headers.team, { target: 'a/shop' }), 400],
    [
      'a lockfile without content',
      () => json(headers.team, { target: 'a/shop', lockfiles: [{ path: 'x' }] }),
      400,
    ],
    [
      'a path out of the target',
      () => json(headers.team, { target: 'a/x', lockfiles: [{ ...lockfiles[0], path: '../../etc/passwd' }] }),
      400,
    ],
    [
      'text that is no JSON',
      () => ({ headers: { ...headers.team, 'content-type': 'application/json' }, body: '{' }),
      400,
    ],
    [
      'another media type',
      () => ({ headers: { ...headers.team, 'content-type': 'text/plain' }, body: 'x' }),
      415,
    ],
    ['another compression', () => json(headers.team, {}, { 'content-encoding': 'br' }), 415],
    ['broken gzip', () => json(headers.team, {}, { 'content-encoding': 'gzip' }), 400],
    [
      'a broken form',
      () => ({ headers: { ...headers.team, 'content-type': 'multipart/form-data; boundary=x' }, body: 'y' }),
      400,
    ],
    ['a form with a field that it does not have', () => form({ traget: 'a/shop' }), 400],
    ['a form that names its target twice', () => form({ target: 'a/other' }), 400],
    ['a form whose `partial` is neither true nor false', () => form({ partial: 'yes' }), 400],
    ['a form with a label without a value', () => form({ label: 'team' }), 400],
    [
      'a huge body',
      () =>
        json(headers.team, { target: 'a/shop', lockfiles: [{ path: 'x', content: 'x'.repeat(3_000_000) }] }),
      413,
    ],
    [
      'a body that is huge when it is unpacked',
      () => ({
        headers: { ...headers.team, 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: new Uint8Array(gzipSync(Buffer.alloc(50_000_000, ' '))),
      }),
      413,
    ],
    [
      'more values than any scan has',
      () =>
        json(
          headers.team,
          Array.from({ length: 200_001 }, () => 0),
        ),
      413,
    ],
    [
      'more parts than any scan has',
      () => ({
        headers: { ...headers.team, 'content-type': 'multipart/form-data; boundary="x y"' },
        body: `${'--x y\r\nContent-Disposition: form-data; name="label"\r\n\r\na=b\r\n'.repeat(10_001)}--x y--\r\n`,
      }),
      413,
    ],
  ])('is refused with %s', async (_what, init, status) => {
    const answer = await post('scans', init());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json; charset=utf-8',
    ]);
  });
});

it('refuses large bodies while others take all the room, and accepts them afterwards', async () => {
  const text = JSON.stringify({
    target: 'a/shop',
    lockfiles: [{ path: 'x', content: 'x'.repeat(1_990_000) }],
  });
  const type = { ...headers.team, 'content-type': 'application/json' };
  const url = `${api.server.url}/api/v1/scans`;
  const open = new Set<ClientRequest>();
  /** Sends all but the end of a body, again when there was no room for it. */
  const hold = (): void => {
    const request = httpRequest(url, { method: 'POST', headers: { ...type, 'content-length': text.length } });
    open.add(request);
    request.on('error', () => {}).on('response', hold);
    request.write(text.slice(0, -1));
  };
  hold();
  hold();
  const submit = () => post('scans', { headers: type, body: text });
  let refusal: Awaited<ReturnType<typeof submit>> | undefined;
  await until('the room is taken', async () => {
    const answer = await submit();
    if (answer.status === 503) refusal = answer;
    return refusal !== undefined;
  });
  expect(refusal?.json.type).toBe('urn:lockhound:problem:too-many-bodies');
  for (const request of open) request.off('response', hold).destroy();
  await until('there is room', async () => (await submit()).status === 202);
});

/** A form that is valid but for one field. */
function form(field: Readonly<Record<string, string>>): RequestInit {
  const body = new FormData();
  for (const [name, value] of [['target', 'a/shop'], ...Object.entries(field)] as const)
    body.append(name, value);
  body.append('file', new Blob(['{}']), 'package-lock.json');
  return { headers: headers.team, body };
}

describe('a write with an idempotency key', () => {
  it('happens once, and has the same answer', async () => {
    const init = json(headers.team, { target: 'a/shop', lockfiles }, { 'idempotency-key': 'k1' });
    const first = await post('scans', init);
    const again = await post('scans', init);
    expect(again.json).toEqual(first.json);
    expect([first, again].map((one) => one.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    const other = json(headers.team, { target: 'a/other', lockfiles }, { 'idempotency-key': 'k1' });
    expect((await post('scans', other)).status).toBe(422);
    const foreign = json(headers.admin, { target: 'a/shop', lockfiles }, { 'idempotency-key': 'k1' });
    expect((await post('scans', foreign)).json).not.toEqual(first.json);
  });

  it('may be repeated when it failed, and never stores a secret', async () => {
    const init = json(headers.team, { target: 'a/shop' }, { 'idempotency-key': 'k2' });
    for (let time = 0; time < 2; time += 1) expect((await post('scans', init)).status).toBe(400);
    const token = json(headers.admin, { name: 'x', role: 'read' }, { 'idempotency-key': 'k3' });
    expect((await post('tokens', token)).json.type).toBe('urn:lockhound:problem:key-refused');
    const bad = json(headers.team, { target: 'a/shop', lockfiles }, { 'idempotency-key': 'a b' });
    expect((await post('scans', bad)).status).toBe(400);
  });
});

describe('administration', () => {
  it('adds, pauses, runs and removes schedules', async () => {
    const source = { kind: 'git', repositories: ['https://git.example/a.git'] };
    const written = { name: 'nightly', source, target: 'a/x', every: '1d' };
    const added = await post('schedules', json(headers.admin, written));
    expect([added.status, added.json]).toMatchObject([200, { name: 'nightly', paused: false, targets: 0 }]);
    expect((await post('schedules', json(headers.admin, written))).status).toBe(409);
    expect((await post('schedules', json(headers.admin, { ...written, every: 'x' }))).status).toBe(400);
    expect((await post('schedules?replace=true', json(headers.admin, written))).status).toBe(200);
    expect((await post('schedules/nightly/pause', { headers: headers.admin })).json).toMatchObject({
      paused: true,
    });
    expect((await post('schedules/nightly/resume', { headers: headers.admin })).json).toMatchObject({
      paused: false,
    });
    expect((await post('schedules/nightly/run', { headers: headers.admin })).status).toBe(200);
    expect((await post('schedules/nightly/run', { headers: headers.team })).status).toBe(403);
    const remove = { method: 'DELETE', headers: headers.admin };
    expect((await api.request('/api/v1/schedules/nightly', remove)).status).toBe(200);
    expect((await api.request('/api/v1/schedules/nightly', remove)).status).toBe(404);
  });

  it('forgets a target, which the next read does not show', async () => {
    const forget = (own: Record<string, string>) =>
      api.request('/api/v1/targets/b%2Fbank', { method: 'DELETE', headers: own });
    expect((await forget(headers.reader)).status).toBe(403);
    expect((await forget(headers.admin)).json).toMatchObject({ target: 'b/bank', lockfiles: 0 });
    const { json: list } = await api.request('/api/v1/targets', { headers: headers.admin });
    expect(list.total).toBe(1);
    expect((await forget(headers.admin)).status).toBe(404);
  });

  it('retries and drops rejected payloads', async () => {
    const store = await openFleetStore(loadConfig({ environment: room.environment }));
    const issues = [{ path: '$', reason: 'wrong' }];
    const at = new Date().toISOString();
    await store.shards[0]?.rejected.add({ at, job: 'ingest-lockfiles', id: 'x', issues, data: '{}' });
    const path = 'rejected/ingest-lockfiles/x';
    const invalid = await post(`${path}/retry`, { headers: headers.admin });
    expect(invalid.json).toMatchObject({ outcome: 'invalid' });
    expect((await post(`${path}/retry`, { headers: headers.team })).status).toBe(403);
    const drop = () => api.request(`/api/v1/${path}`, { method: 'DELETE', headers: headers.admin });
    expect([(await drop()).status, (await drop()).status]).toEqual([200, 404]);
    expect(await store.shards[0]?.rejected.count()).toBe(0);
    await store.close();
  });

  it('answers for what does not exist', async () => {
    for (const path of ['routes/none/resume', 'rejected/a/b/retry', 'schedules/none/run']) {
      expect([path, (await post(path, { headers: headers.admin })).status]).toEqual([path, 404]);
    }
    expect((await post('deliveries/retry?delivery=none', { headers: headers.admin })).json).toEqual({
      deliveries: [{ id: 'none', outcome: 'unknown' }],
    });
    expect((await post('deliveries/retry', { headers: headers.admin })).status).toBe(400);
  });
});
