import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../src/embedded/receiver/service.ts';
import { ListenError } from '../../src/model/listen.ts';
import { until } from '../until.ts';

describe('the local receiver', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const deliver = (id: string, body: string, signal?: AbortSignal) =>
    fetch(`${receiver.url}/hooks/alerts?team=red`, {
      method: 'POST',
      headers: { 'webhook-id': id, 'content-type': 'application/json' },
      body,
      ...(signal === undefined ? {} : { signal }),
    });

  it('stores deliveries and counts repeats of one webhook-id', async () => {
    expect((await deliver('msg_1', '{"a":1}')).status).toBe(200);
    await deliver('msg_1', '{"a":1}');
    await deliver('msg_2', 'ümlaut');
    expect(receiver.deliveries()).toMatchObject([
      { id: 'msg_1', taken: 2, attempts: 2, body: '{"a":1}', path: '/hooks/alerts?team=red', method: 'POST' },
      { id: 'msg_2', taken: 1, attempts: 1, body: 'ümlaut', headers: { 'content-type': 'application/json' } },
    ]);
    expect(receiver.attempts()).toBe(3);
  });

  it('stores each delivery without an id', async () => {
    for (const body of ['one', 'two']) await fetch(receiver.url, { method: 'POST', body });
    expect(receiver.deliveries().map(({ body }) => body)).toEqual(['one', 'two']);
  });

  it('counts refused, broken and hanging attempts without storing them', async () => {
    receiver.faults.inject({ kind: 'answer', status: 503 }, { times: 2 });
    receiver.faults.inject({ kind: 'drop' });
    receiver.faults.inject({ kind: 'hang' });
    expect((await deliver('msg_1', 'x')).status).toBe(503);
    expect((await deliver('msg_1', 'x')).status).toBe(503);
    await expect(deliver('msg_1', 'x')).rejects.toThrow('fetch failed');
    await expect(deliver('msg_1', 'x', AbortSignal.timeout(200))).rejects.toThrow('timeout');
    expect(receiver.deliveries()).toEqual([]);
    expect((await deliver('msg_1', 'x')).status).toBe(200);
    expect(receiver.deliveries()).toMatchObject([{ id: 'msg_1', taken: 1, attempts: 5 }]);
  });

  it('can accept a delivery and lose its answer', async () => {
    receiver.faults.inject({ kind: 'drop-answer' });
    await expect(deliver('msg_1', 'x')).rejects.toThrow('fetch failed');
    expect(receiver.deliveries()).toMatchObject([{ id: 'msg_1', taken: 1, attempts: 1 }]);
  });

  it('shows its deliveries to other processes', async () => {
    await deliver('msg_1', 'x');
    const shown: unknown = await (await fetch(`${receiver.url}/deliveries`)).json();
    expect(shown).toEqual({ deliveries: receiver.deliveries(), attempts: 1 });
  });

  it('names the port that is in use, and can be closed while a request hangs', async () => {
    const port = Number(new URL(receiver.url).port);
    const second = startReceiver({ port });
    await expect(second).rejects.toThrow(ListenError);
    await expect(second).rejects.toThrow(`127.0.0.1:${port}`);
    receiver.faults.inject({ kind: 'hang' });
    const hanging = deliver('msg_1', 'x');
    const broken = expect(hanging).rejects.toThrow('fetch failed');
    await until('the request arrives', () => receiver.attempts() > 0);
    await receiver.close();
    await broken;
  });
});
