import { expect, it } from 'vitest';
import type { TrackedFinding } from '../../src/model/scan/change.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import { dueAfter } from '../../src/policy/due.ts';
import { changeOf } from '../notify/notification.ts';

const DAY = 24 * 3_600_000;
const noteLimit = (rule: string) => (rule === 'unindexed' ? 14 * DAY : Number.POSITIVE_INFINITY);

function tracked(finding: Partial<Finding>, more: Partial<TrackedFinding> = {}): TrackedFinding {
  const at = '2026-01-01T00:00:00Z';
  return {
    finding: { ...changeOf('a').finding, ...finding },
    status: 'open',
    openedAt: at,
    changedAt: at,
    ...more,
  };
}

it('is when the first note has been open for longer than it may', () => {
  const later = tracked({ rule: 'unindexed', level: 'note' }, { openedAt: '2026-01-05T00:00:00Z' });
  const first = tracked({ rule: 'unindexed', level: 'note' });
  expect(dueAfter([later, first], noteLimit)).toEqual({ dueAt: '2026-01-15T00:00:00.001Z' });
});

it('is when a suppression expires, also of a note', () => {
  const suppressed = { by: 'x', source: 'command', reason: 'r', expires: '2026-01-03T00:00:00Z' } as const;
  const note = tracked({ rule: 'unindexed', level: 'note', suppressed });
  expect(dueAfter([note, tracked({})], noteLimit)).toEqual({ dueAt: '2026-01-03T00:00:00.000Z' });
});

it('is absent for alerts, notes without a limit, and what is resolved', () => {
  const others = [
    tracked({ rule: 'unindexed', level: 'alert' }),
    tracked({ rule: 'deprecated', level: 'note' }),
    tracked({ rule: 'unindexed', level: 'note' }, { status: 'resolved' }),
  ];
  expect(dueAfter(others, noteLimit)).toEqual({});
});
