import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { DeliveryRecord } from '../../src/model/alert/delivery.ts';
import { deliveryListText, deliveryText } from '../../src/report/deliveries.ts';
import { changeOf } from '../notify/notification.ts';

const record: DeliveryRecord = {
  id: 'msg_1',
  key: 'one.default',
  route: 'default',
  target: 'shop\u001b[31m',
  scan: 'one',
  date: '2026-05-01T00:00:00Z',
  state: 'retrying',
  reason: 'POST https://hooks.example/: HTTP 503',
  changes: 2,
  filedAt: '2026-05-01T00:00:01.000Z',
  updatedAt: '2026-05-01T00:00:02.000Z',
  nextAttemptAt: '2026-05-01T00:00:06.000Z',
  attempts: 7,
};
const stopped = { route: 'default', at: '2026-05-01T00:00:00.000Z', reason: 'HTTP 410' };
const plain = { colour: false, width: 200 };

describe('the list of deliveries', () => {
  it('has two lines for each, without control characters', () => {
    expect(deliveryListText({ deliveries: [record], stoppedRoutes: [] }, plain)).toBe(
      'retrying   shop\\u001b[31m  msg_1  2026-05-01T00:00:02.000Z\n' +
        '           2 changes, 7 attempts, route default: POST https://hooks.example/: HTTP 503; ' +
        'next attempt 2026-05-01T00:00:06.000Z\n',
    );
  });

  it('counts one change and one attempt as one', () => {
    const one = { ...record, changes: 1, attempts: 1 };
    const text = deliveryListText({ deliveries: [one], stoppedRoutes: [] }, plain);
    expect(text).toContain(' 1 change, 1 attempt, ');
    expect(deliveryText({ delivery: one, attempts: [], changes: [] }, plain)).toContain(
      '  1 earlier attempt is not kept\n',
    );
  });

  it('reports an empty list, further deliveries, and how to resume a stopped route', () => {
    expect(deliveryListText({ deliveries: [], stoppedRoutes: [stopped] }, plain)).toBe(
      'No deliveries.\nRoute default is stopped since 2026-05-01T00:00:00.000Z: HTTP 410\n' +
        '  lockhound deliveries resume default   after the receiver is repaired\n',
    );
    const cut = deliveryListText({ deliveries: [record], stoppedRoutes: [] }, { ...plain, more: true });
    expect(cut).toContain('… and more: use --limit to show them');
  });

  it('is the same in colour', () => {
    const list = { deliveries: [{ ...record, target: 'shop' }], stoppedRoutes: [stopped] };
    const coloured = deliveryListText(list, { colour: true, width: 200, more: true });
    expect(coloured).not.toBe(deliveryListText(list, { ...plain, more: true }));
    expect(stripVTControlCharacters(coloured)).toBe(deliveryListText(list, { ...plain, more: true }));
  });
});

describe('one delivery', () => {
  it('shows its attempts, and how many are not kept', () => {
    const attempts = [
      { at: '2026-05-01T00:00:01.000Z', durationMs: 12, error: 'POST https://hooks.example/: reset' },
      { at: '2026-05-01T00:00:02.000Z', durationMs: 34, status: 503, error: 'HTTP 503', answer: 'busy' },
      { at: '2026-05-01T00:00:03.000Z', durationMs: 5, status: 200, answer: '' },
    ];
    const text = deliveryText({ delivery: record, attempts, changes: undefined }, plain);
    expect(text).toContain('  4 earlier attempts are not kept\n');
    expect(text).toContain(
      '  2026-05-01T00:00:01.000Z  no answer after 12 ms\n    POST https://hooks.example/: reset\n',
    );
    expect(text).toContain(
      '  2026-05-01T00:00:02.000Z  HTTP 503 after 34 ms\n    HTTP 503\n    answer: busy\n',
    );
    expect(text).toMatch(/ {2}2026-05-01T00:00:03\.000Z {2}HTTP 200 after 5 ms\n$/);
    expect(text).toContain('  target       shop\\u001b[31m\n');
    expect(text).toContain('  changes      2, no longer kept\n');
  });

  it('lists all changes, and the size and omitted changes of each attempt', () => {
    const attempts = [
      { at: '2026-05-01T00:00:01.000Z', durationMs: 5, status: 413, error: 'HTTP 413', bytes: 9_000 },
      { at: '2026-05-01T00:00:02.000Z', durationMs: 5, status: 200, bytes: 4_000, leftOut: 1 },
    ];
    const changes = [
      changeOf('a', 'Hole\u001b[31m'),
      { ...changeOf('b', 'Mended', 'resolved'), target: 'other' },
    ];
    const text = deliveryText({ delivery: record, attempts, changes }, plain);
    expect(text).toContain('HTTP 413 after 5 ms, 9000 bytes\n');
    expect(text).toContain('HTTP 200 after 5 ms, 4000 bytes, 1 change only counted\n');
    expect(text).toContain('  changes      2\n');
    expect(text).toContain('\n  opened high: Hole\\u001b[31m (a@1.2.3, GHSA-aaaa-bbbb-cccc)\n');
    expect(text).toMatch(/\n {2}other: resolved high: Mended \(b@1\.2\.3, GHSA-aaaa-bbbb-cccc\)\n$/);
  });
});
