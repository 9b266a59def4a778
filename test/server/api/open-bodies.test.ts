import { EventEmitter, once } from 'node:events';
import type { Transform } from 'node:stream';
import { expect, test } from 'vitest';
import { createOpenBodies } from '../../../src/server/api/open-bodies.ts';

function reply() {
  const raw = Object.assign(new EventEmitter(), { closed: false });
  return { raw: raw as never, answer: () => raw.emit('close') };
}

/** Sends a part and waits until it is counted. */
function send(body: Transform, length: number): Promise<void> {
  body.resume();
  return new Promise((resolve) => body.write(Buffer.alloc(length), () => resolve()));
}

test('a body takes the room that it has filled until its request is answered', async () => {
  const open = createOpenBodies({ maxTotal: 12 });
  const first = reply();
  const body = open('a', first);
  await send(body, 8);
  body.end();
  await once(body, 'end');
  const refused = open('b', reply());
  const error = once(refused, 'error');
  await send(refused, 5);
  expect((await error)[0]).toMatchObject({ status: 503, headers: { connection: 'close' } });
  first.answer();
  const next = open('b', reply());
  await send(next, 12);
  expect(next.destroyed).toBe(false);
});

test('the holder of most room loses its largest body: others are received', async () => {
  const open = createOpenBodies({ maxTotal: 100 });
  const slow = await Promise.all(
    [30, 40, 25].map(async (length) => {
      const body = open('attacker', reply());
      await send(body, length);
      return body;
    }),
  );
  const other = open('other', reply());
  await send(other, 30);
  expect(slow.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  expect(other.destroyed).toBe(false);
  // The one who holds most now is the attacker again.
  const again = open('attacker', reply());
  await send(again, 60);
  expect([other.destroyed, again.destroyed]).toEqual([false, true]);
});

test('of one holder, a small body is received and the last of equal ones is refused', async () => {
  const open = createOpenBodies({ maxTotal: 100 });
  const [first, second] = [open('proxy', reply(), 50), open('proxy', reply(), 50)];
  for (const body of [first, second]) await send(body, 49);
  const equal = open('proxy', reply(), 50);
  await send(equal, 10);
  expect([first, second, equal].map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
  const small = open('proxy', reply(), 10);
  await send(small, 10);
  expect(small.destroyed).toBe(false);
  expect([first.destroyed, second.destroyed].sort()).toEqual([false, true]);
});

test('a body that arrives too slowly is ended, and gives its room back', async () => {
  const open = createOpenBodies({ maxTotal: 10, maxMs: 20 });
  const slow = open('a', reply());
  const error = once(slow, 'error');
  await send(slow, 10);
  expect((await error)[0]).toMatchObject({ status: 408 });
  const next = open('b', reply());
  await send(next, 10);
  expect(next.destroyed).toBe(false);
});
