import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type Room, SECRETS, type World } from './world.ts';

let world: World;
let room: Room;
let log = '';
let processTexts = '';
let shown = '';

/** The token as a receiver may repeat it: unchanged, in JSON, in a URL, in Base64. */
const ECHO = [
  SECRETS.alertToken,
  JSON.stringify({ authorization: `Bearer ${SECRETS.alertToken}` }),
  encodeURIComponent(SECRETS.alertToken),
  Buffer.from(SECRETS.alertToken).toString('base64'),
].join('\n');

/**
 * A complete run: provisioning, an alert, a delivery that is refused for some time, one that is refused permanently,
 * and an invalid payload.
 */
beforeAll(async () => {
  world = await createWorld();
  room = await world.room('secrets');
  world.services.receiver.faults.inject({
    kind: 'answer',
    status: 500,
    body: `you sent ${ECHO}`,
  });
  const worker = room.startWorker();
  await room.producer.enqueue({
    scan: 'one',
    target: { id: 'target' },
    lockfiles: [
      { path: 'package-lock.json', content: LOCKFILE },
      { path: 'broken/package-lock.json', content: '{"lockfileVersion": 3, "packages": {' },
    ],
  });
  await room.outcome('deliver-notification', 'one.default');
  world.services.receiver.faults.inject({ kind: 'answer', status: 400, body: `no: ${ECHO}` });
  await room.producer.enqueue({
    scan: 'two',
    target: { id: 'other' },
    lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
  });
  while ((await room.store.deliveries.list(['failed'])).length === 0) await sleep(20);
  for (const id of await room.store.deliveries.list(['delivered', 'failed'])) {
    shown += (await room.lockhound('deliveries', 'get', id)).output;
    shown += (await room.lockhound('deliveries', 'get', '--json', id)).output;
  }
  shown += (await room.lockhound('deliveries', 'list')).output;
  const pid = worker.child.pid;
  processTexts = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  await worker.kill('SIGTERM');
  const refused = room.work({ LOCKHOUND_SECRET_API_KEY: `${SECRETS.apiKey}-wrong` });
  while (!refused.output().includes('could not be provisioned')) await sleep(20);
  await refused.stop();
  log = worker.output() + refused.output();
});

afterAll(() => world.close());

const FORMS = Object.entries(SECRETS).flatMap(([name, value]) => [
  [name, value],
  [`${name} in JSON`, JSON.stringify(value).slice(1, -1)],
  [`${name} in a URL`, encodeURIComponent(value)],
  [`${name} in base64`, Buffer.from(value).toString('base64')],
]);

function leaksIn(text: string): readonly string[] {
  return FORMS.filter(([, form = '']) => text.includes(form)).map(([name = '']) => name);
}

describe('no secret', () => {
  it('was missing where it belongs: the receiver got the token', () => {
    const [alert] = world.services.receiver.deliveries();
    expect(alert?.headers['authorization']).toBe(`Bearer ${SECRETS.alertToken}`);
    expect(alert?.headers['webhook-signature']).toMatch(/^v1,/);
    expect(alert?.attempts).toBe(2);
  });

  it('is in any key or value of Redis', async () => {
    const texts = await everythingIn(room.store.redis as never);
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.join('\n')).toContain('GHSA-35jh-r3h4-6jhm');
    expect(leaksIn(texts.join('\n'))).toEqual([]);
  });

  it('is in the attempts that are kept, nor in what shows them', async () => {
    const attempts: unknown[] = [];
    for (const id of await room.store.deliveries.list(['delivered', 'failed'])) {
      attempts.push(...(await room.store.deliveries.attempts(id)));
    }
    const answer = expect.stringContaining('(secret) {"authorization":"Bearer (secret)"} (secret) (secret)');
    expect(attempts).toHaveLength(3);
    expect(attempts).toContainEqual(expect.objectContaining({ status: 500, answer }));
    expect(attempts).toContainEqual(expect.objectContaining({ status: 400, answer }));
    expect(leaksIn(JSON.stringify(attempts))).toEqual([]);
    expect(shown).toMatch(/ 400 .* no: \(secret\)/);
    expect(shown).toContain('"answer":"you sent (secret)');
    expect(leaksIn(shown)).toEqual([]);
  });

  it('is in the log at the most verbose level, errors included', () => {
    expect(log).toContain('delivery attempt');
    expect(log).toContain('you sent (secret)');
    expect(log).toContain('Check `notify.platform`');
    expect(leaksIn(log)).toEqual([]);
  });

  it('is in the arguments of the process', () => {
    expect(processTexts).toContain('worker');
    expect(leaksIn(processTexts)).toEqual([]);
  });

  it('is in the alert’s body or the verdict', async () => {
    const bodies = world.services.receiver.deliveries().map(({ body }) => body);
    expect(leaksIn(bodies.join('\n'))).toEqual([]);
    expect(leaksIn(JSON.stringify(await room.verdict('one')))).toEqual([]);
  });
});

interface Redis {
  scan(cursor: string): Promise<[string, string[]]>;
  type(key: string): Promise<string>;
  getBuffer(key: string): Promise<Buffer | null>;
  hgetallBuffer(key: string): Promise<Record<string, Buffer>>;
  call(...args: readonly string[]): Promise<unknown>;
}

/** Every key and every value as text, decompressed where it is compressed. */
async function everythingIn(redis: Redis): Promise<readonly string[]> {
  const texts: string[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor);
    cursor = next;
    for (const key of keys) texts.push(key, ...(await valuesOf(redis, key)));
  } while (cursor !== '0');
  return texts;
}

async function valuesOf(redis: Redis, key: string): Promise<readonly string[]> {
  switch (await redis.type(key)) {
    case 'string':
      return [await plain((await redis.getBuffer(key)) ?? Buffer.alloc(0))];
    case 'hash': {
      const fields = Object.entries(await redis.hgetallBuffer(key));
      return await Promise.all(fields.map(async ([field, value]) => `${field}=${await plain(value)}`));
    }
    case 'list':
      return [JSON.stringify(await redis.call('LRANGE', key, '0', '-1'))];
    case 'set':
      return [JSON.stringify(await redis.call('SMEMBERS', key))];
    case 'zset':
      return [JSON.stringify(await redis.call('ZRANGE', key, '0', '-1'))];
    case 'none':
      // Expired since the scan listed it.
      return [];
    case 'stream':
      return [JSON.stringify(await redis.call('XRANGE', key, '-', '+'))];
    default:
      throw new Error(`a type of value that is not searched: ${key}`);
  }
}

async function plain(value: Buffer): Promise<string> {
  if (value.subarray(0, 4).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))) {
    return (await promisify(zstdDecompress)(value)).toString('utf8');
  }
  if (value[0] === 0x1f && value[1] === 0x8b) return (await promisify(gunzip)(value)).toString('utf8');
  return value.toString('utf8');
}
