import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventLog } from '../../../src/server/api/events/event-log.ts';
import { beginEventStream, type EventStream } from '../../../src/server/api/events/event-stream.ts';
import { createDeliveryStore } from '../../../src/store/alerts/deliveries.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { notificationOf } from '../../notify/notification.ts';
import { until } from '../../until.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

let room: Awaited<ReturnType<typeof openServeRoom>>;
let tokens: ReturnType<typeof newTokens>;
let all: string;
beforeAll(async () => {
  room = await openServeRoom({ shards: 2 });
  const [fleet] = room.fleets;
  if (fleet === undefined) throw new RangeError();
  tokens = newTokens(createApiTokenStore(room.redis, fleet.keys));
  all = (await tokens.create({ name: 'all', role: 'read' })).token;
});
afterAll(() => room.close());

const change = { transition: 'opened', rule: 'vulnerability', level: 'alert', title: 'Wrong' } as const;

/** Saves a scan with a change in one of the shards. */
async function saved(target: string, shard = 0): Promise<void> {
  const log = [{ ...change, fingerprint: target, severity: 'high', purl: 'pkg:npm/ms@1' }] as const;
  await room.fleets[shard]?.save(target, [], { log: [...log] });
}

/** Reads events of a stream until `count` have come. */
async function events(url: string, headers: Record<string, string>, count: number, onOpen = async () => {}) {
  const stop = new AbortController();
  const answer = await fetch(url, { headers, signal: stop.signal });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const found: {
    id: string;
    event: string;
    target: string;
    topic: string | undefined;
    from: string | undefined;
    state: string | undefined;
  }[] = [];
  let text = '';
  const opened = onOpen();
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
      );
      const data = fields.get('data');
      if (data === undefined) continue;
      const { target, topic, from, state } = JSON.parse(data);
      found.push({
        id: fields.get('id') ?? '',
        event: fields.get('event') ?? '',
        target,
        topic,
        from,
        state,
      });
    }
    if (found.length >= count) break;
  }
  await opened;
  stop.abort();
  return found;
}

describe('the stream of events', () => {
  it('sends changes as they happen, and continues after the last one that was seen', async () => {
    const api = await room.serve({}, all);
    const url = `${api.server.url}/api/v1/events?topic=changes`;
    const headers = { authorization: `Bearer ${all}` };
    await saved('before');
    const first = await events(url, headers, 2, async () => {
      await saved('one');
      await saved('two');
    });
    expect(first.map(({ event, target }) => `${event} ${target}`)).toEqual(['changes one', 'changes two']);
    await saved('three', 1);
    const later = await events(url, { ...headers, 'last-event-id': first[0]?.id ?? '' }, 2);
    expect(later.map(({ target }) => target)).toEqual(['two', 'three']);
    // Another server has other ids: it sends what the store has since about that time.
    const other = await room.serve({}, all);
    const again = await events(
      `${other.server.url}/api/v1/events`,
      { ...headers, 'last-event-id': first[1]?.id ?? '' },
      3,
    );
    expect(again.map(({ target }) => target)).toEqual(expect.arrayContaining(['two', 'three']));
    expect((await fetch(url, { headers: { ...headers, 'last-event-id': 'x' } })).status).toBe(400);
  });

  it('begins anew after the store could not be read at first', async () => {
    const api = await room.serve({}, all);
    const [url, headers] = [`${api.server.url}/api/v1/events`, { authorization: `Bearer ${all}` }];
    const { changes } = room.fleets[0]?.keys ?? expect.fail();
    await room.redis.rename(changes, `${changes}:other`);
    await room.redis.set(changes, 'no stream');
    expect((await fetch(url, { headers })).status).toBe(500);
    await room.redis.rename(`${changes}:other`, changes);
    const found = await events(url, headers, 1, () => saved('again'));
    expect(found.map(({ target }) => target)).toEqual(['again']);
  });

  it('shows a token its own targets only', async () => {
    const team = (await tokens.create({ name: 'team', role: 'read', targets: ['a/*'] })).token;
    const api = await room.serve({}, all);
    const url = `${api.server.url}/api/v1/events`;
    const found = await events(url, { authorization: `Bearer ${team}` }, 1, async () => {
      await saved('b/foreign');
      await saved('a/own');
    });
    expect(found.map(({ target }) => target)).toEqual(['a/own']);
    expect((await fetch(url)).status).toBe(401);
  });

  it('tells when a scan ends', async () => {
    const api = await room.serve({}, all);
    const { createScanStore } = await import('../../../src/store/scans.ts');
    const fleet = room.fleets[0];
    if (fleet === undefined) throw new RangeError();
    const scans = createScanStore(room.redis, fleet.keys);
    const url = `${api.server.url}/api/v1/events?topic=scans`;
    const found = await events(url, { authorization: `Bearer ${all}` }, 1, () =>
      scans.fail({
        scan: 's1',
        target: 't',
        state: 'failed',
        requestedAt: new Date().toISOString(),
        reason: 'no',
      }),
    );
    expect(found).toMatchObject([{ event: 'scans', target: 't' }]);
  });

  it('tells how deliveries go on, also those that a reader missed', async () => {
    const api = await room.serve({}, all);
    const [fleet] = room.fleets;
    if (fleet === undefined) throw new RangeError();
    const deliveries = createDeliveryStore(room.redis, fleet.keys);
    const date = new Date().toISOString();
    const delivery = { id: 'msg_1', key: 's.default', route: 'default', target: 't', scan: 's', date };
    const url = `${api.server.url}/api/v1/events?topic=deliveries`;
    const headers = { authorization: `Bearer ${all}` };
    const [filed] = await events(url, headers, 1, () => deliveries.file(delivery, notificationOf()));
    expect(filed).toMatchObject({ event: 'deliveries', target: 't', state: 'waiting' });
    await deliveries.move(delivery, { state: 'failed', reason: 'HTTP 500' });
    const missed = { ...headers, 'last-event-id': filed?.id ?? '' };
    expect(await events(url, missed, 1)).toMatchObject([{ event: 'deliveries', state: 'failed' }]);
    const other = await room.serve({}, all);
    const stored = await events(`${other.server.url}/api/v1/events?topic=deliveries`, missed, 1);
    expect(stored).toMatchObject([{ event: 'deliveries', state: 'failed' }]);
  });

  it('leaves places for others when one caller opens many streams at once', async () => {
    const api = await room.serve({}, all);
    const other = (await tokens.create({ name: 'other', role: 'read' })).token;
    const stop = new AbortController();
    const open = async (token: string) =>
      await fetch(`${api.server.url}/api/v1/events`, {
        headers: { authorization: `Bearer ${token}` },
        signal: stop.signal,
      });
    const answers = await Promise.all(Array.from({ length: 103 }, () => open(all)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['30', '30', '30']);
    expect((await open(other)).status).toBe(200);
    stop.abort();
    await until('the places are free again', async () => {
      const answer = await fetch(`${api.server.url}/api/v1/events`, {
        headers: { authorization: `Bearer ${all}` },
      });
      await answer.body?.cancel();
      return answer.status === 200;
    });
  });

  it('disconnects a reader that does not read', async () => {
    const api = await room.serve({}, all);
    const { hostname, port } = new URL(api.server.url);
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.write(
      `GET /api/v1/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${all}\r\n\r\n`,
    );
    await once(socket, 'readable');
    let isClosed = false;
    socket.on('close', () => {
      isClosed = true;
    });
    socket.on('error', () => {});
    const title = 'x'.repeat(500_000);
    for (let index = 0; index < 30 && !isClosed; index += 1) {
      const log = [{ ...change, fingerprint: 'f', severity: 'high', purl: 'pkg:npm/ms@1', title }] as const;
      await room.fleets[0]?.save(`big${index % 3}`, [], { log: [...log] });
    }
    socket.resume();
    await once(socket, 'close');
  });
});

it('ends the stream of a caller who may no longer call', async () => {
  const server = createServer((_request, raw) => {
    beginEventStream(raw, {}, { heartbeatMs: 20, isAllowed: async () => false });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('retry: 2000\n\n');
  server.close();
});

it('disconnects a reader for whom more waits than may wait now', async () => {
  let most = 100_000_000;
  const opened = Promise.withResolvers<EventStream>();
  const server = createServer((_request, raw) => {
    opened.resolve(beginEventStream(raw, {}, { isAllowed: async () => true, maxWaiting: () => most }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const stream = await opened.promise;
  let isOpen = true;
  void stream.ended.then(() => {
    isOpen = false;
  });
  for (let sent = 0; sent < 30; sent += 1) stream.send({ topic: 'changes', data: 'x'.repeat(1_000_000) });
  await new Promise(setImmediate);
  expect(isOpen).toBe(true);
  most = 1_000_000;
  stream.send({ topic: 'changes', data: 'x' });
  await stream.ended;
  socket.destroy();
  server.close();
});

describe('what a reader missed', () => {
  type Replay = (stream: EventStream, raw: ServerResponse) => Promise<void>;

  /** A server that sends a replay to each reader. */
  async function serving(replay: Replay, maxReplayMs = 30_000) {
    const server = createServer((_request, raw) => {
      void replay(beginEventStream(raw, {}, { isAllowed: async () => true, maxReplayMs }), raw);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { port, url: `http://127.0.0.1:${port}`, close: () => server.close() };
  }

  it('is sent whole, however much it is, with little in memory', async () => {
    let most = 0;
    const server = await serving(async (stream, raw) => {
      const events = function* () {
        for (let index = 0; index < 100; index += 1) {
          most = Math.max(most, raw.writableLength);
          yield { topic: 'changes', data: 'x'.repeat(50_000) } as const;
        }
      };
      expect(await stream.replay(events())).toBe(true);
      stream.end();
    });
    const text = await (await fetch(server.url)).text();
    server.close();
    expect(text.match(/^event: changes$/gm)).toHaveLength(100);
    expect(most).toBeLessThan(200_000);
  });

  it('is not sent for ever to a reader that does not read', async () => {
    const replayed = Promise.withResolvers<boolean>();
    const server = await serving(async (stream) => {
      const endless = function* () {
        for (;;) yield { topic: 'changes', data: 'x'.repeat(50_000) } as const;
      };
      replayed.resolve(await stream.replay(endless()));
    }, 1_000);
    const socket = createConnection({ host: '127.0.0.1', port: server.port });
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await replayed.promise).toBe(false);
    socket.destroy();
    server.close();
  });

  it('begins with a gap where the store no longer has it', async () => {
    const api = await room.serve({}, all);
    await saved('kept');
    const headers = { authorization: `Bearer ${all}`, 'last-event-id': `${'0'.repeat(12)}-7-1000` };
    const found = await events(`${api.server.url}/api/v1/events?topic=changes`, headers, 2);
    expect(found[0]).toMatchObject({ event: 'gap', topic: 'changes', from: '1970-01-01T00:00:01.000Z' });
    expect(found[1]).toMatchObject({ event: 'changes' });
  });
});

describe('the log of events', () => {
  const event = (target: string) => ({ topic: 'changes', target, at: 5, data: 'x'.repeat(10) }) as const;

  it('keeps the last events, within its limits', () => {
    const log = createEventLog(3, 1_000);
    const ids: string[] = [];
    log.follow(({ id }) => ids.push(id));
    for (const target of ['a', 'b', 'c', 'd']) log.add(event(target));
    const targets = (id = '') => {
      const point = log.resume(id);
      return point?.kind === 'logged' ? point.events.map(({ target }) => target) : point;
    };
    expect(targets(ids[0])).toEqual(['b', 'c', 'd']);
    expect(targets(ids[3])).toEqual([]);
    log.add(event('e'));
    expect(targets(ids[0])).toEqual({ kind: 'stored', since: 5 });
    expect(createEventLog().resume(ids[3] ?? '')).toEqual({ kind: 'stored', since: 5 });
    // They do not tell a reader how many events others have.
    expect(ids.every((id) => /^[0-9a-f]{16}-5$/.test(id))).toBe(true);
    expect(log.resume('x')).toBeUndefined();
    const small = createEventLog(100, 25);
    for (const target of ['a', 'b', 'c']) small.add(event(target));
    expect(small.resume(`${'0'.repeat(12)}-1-9`)).toEqual({ kind: 'stored', since: 9 });
  });
});
