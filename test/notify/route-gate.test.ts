import { describe, expect, it } from 'vitest';
import type { Notifier } from '../../src/notify/delivery/deliver.ts';
import { createRouteGate, type RouteStops } from '../../src/notify/delivery/route-gate.ts';
import { NotifyError } from '../../src/notify/errors.ts';
import { notificationOf } from './notification.ts';

const signal = new AbortController().signal;

function stopsIn(stopped: Map<string, string>): RouteStops {
  return {
    stoppedRoute: async (route) => {
      const reason = stopped.get(route);
      return reason === undefined ? undefined : { reason };
    },
    resumptions: async () => 0,
    async stopRoute(route, reason) {
      stopped.set(route, reason);
      return 'stopped';
    },
  };
}

function gateOver(routes: readonly string[], deliver: Notifier['deliver'], concurrency = 8) {
  const stopped = new Map<string, string>();
  const gate = createRouteGate({ stops: stopsIn(stopped), concurrency, routes: routes.length })({ deliver });
  return { stopped, send: (route: string) => gate.deliver(route, async () => notificationOf(), signal) };
}

const receiptOf = (route: string) => ({ id: 'msg_1', route, status: 200, answer: '' });

describe('a route', () => {
  it('that answers 410 is stopped; others continue', async () => {
    const sent: string[] = [];
    const { send, stopped } = gateOver(['a', 'b'], async (route) => {
      sent.push(route);
      if (route === 'a') throw new NotifyError('receiver-gone', 'HTTP 410');
      return receiptOf(route);
    });
    expect(await send('a')).toEqual({ kind: 'held', reason: 'HTTP 410' });
    expect(await send('a')).toEqual({ kind: 'held', reason: 'HTTP 410' });
    expect(await send('b')).toEqual({ kind: 'delivered', receipt: receiptOf('b') });
    expect(sent).toEqual(['a', 'b']);
    stopped.clear();
    await send('a');
    expect(sent).toEqual(['a', 'b', 'a']);
  });

  it('that was resumed while a receiver answered goes on', async () => {
    let resumptions = 2;
    const seen: number[] = [];
    const stops: RouteStops = {
      stoppedRoute: async () => undefined,
      resumptions: async () => resumptions,
      async stopRoute(_route, _reason, before) {
        seen.push(before);
        return before === resumptions ? 'stopped' : 'resumed';
      },
    };
    const gate = createRouteGate({ stops, concurrency: 1, routes: 1 })({
      deliver: async () => {
        resumptions = 3;
        throw new NotifyError('receiver-gone', 'HTTP 410');
      },
    });
    const send = () => gate.deliver('a', async () => notificationOf(), signal);
    expect(await send()).toEqual({ kind: 'later', reason: 'HTTP 410' });
    expect(await send()).toEqual({ kind: 'held', reason: 'HTTP 410' });
    expect(seen).toEqual([2, 3]);
  });

  it('is looked up while the notification is read, and a stopped one gets it stored', async () => {
    const calls: string[] = [];
    const stops: RouteStops = {
      async stoppedRoute() {
        calls.push('stopped');
        return { reason: 'on purpose' };
      },
      resumptions: async () => 0,
      stopRoute: async () => 'stopped',
    };
    const gate = createRouteGate({ stops, concurrency: 1, routes: 1 });
    const notifier = gate({ deliver: async (route) => receiptOf(route) });
    const reading = Promise.withResolvers<void>();
    const answer = notifier.deliver(
      'a',
      async () => {
        calls.push('read');
        await reading.promise;
        calls.push('stored');
        return notificationOf();
      },
      signal,
    );
    await Promise.resolve();
    expect(calls).toEqual(['stopped', 'read']);
    reading.resolve();
    expect(await answer).toEqual({ kind: 'held', reason: 'on purpose' });
    expect(calls).toEqual(['stopped', 'read', 'stored']);
  });

  it('that hangs does not block the others', async () => {
    const gate = Promise.withResolvers<void>();
    const { send } = gateOver(['a', 'b'], async (route) => {
      if (route === 'a') await gate.promise;
      return receiptOf(route);
    });
    const hanging = Array.from({ length: 4 }, () => send('a'));
    expect(await send('a')).toEqual({ kind: 'later', reason: '4 deliveries of route a are active' });
    expect(await send('b')).toMatchObject({ kind: 'delivered' });
    gate.resolve();
    expect(await Promise.all(hanging)).toHaveLength(4);
    expect(await send('a')).toMatchObject({ kind: 'delivered' });
  });

  it.each([
    [['a'], 8, 8],
    [['a', 'b', 'c'], 8, 2],
    [['a', 'b', 'c', 'd', 'e'], 8, 2],
    [['a', 'b'], 9, 4],
  ])('of %j has its share of %i: %i', async (routes, concurrency, share) => {
    const gate = Promise.withResolvers<void>();
    const { send } = gateOver(
      routes,
      async (route) => {
        await gate.promise;
        return receiptOf(route);
      },
      concurrency,
    );
    const all = Array.from({ length: concurrency + 1 }, () => send('a'));
    gate.resolve();
    const kinds = (await Promise.all(all)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'delivered')).toHaveLength(share);
  });

  it('that is not set up yet is tried later', async () => {
    const { send, stopped } = gateOver(['a'], async () => {
      throw new NotifyError('not-provisioned', 'not applied yet', { retryable: true });
    });
    expect(await send('a')).toEqual({ kind: 'later', reason: 'not applied yet' });
    expect(stopped.size).toBe(0);
  });

  it('passes other failures on, and frees its place', async () => {
    const { send } = gateOver(
      ['a'],
      async () => {
        throw new NotifyError('receiver-refused', 'HTTP 500', { retryable: true });
      },
      1,
    );
    for (const _ of [1, 2]) await expect(send('a')).rejects.toMatchObject({ code: 'receiver-refused' });
  });
});
