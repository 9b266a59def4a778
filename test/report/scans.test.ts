import { expect, it } from 'vitest';
import type { Scan } from '../../src/model/api/lockhound-api.generated.ts';
import { scanListText, scanText } from '../../src/report/scans.ts';

const scan: Scan = {
  scan: 's1',
  target: 'shop\u001b[2J',
  state: 'concluded',
  requestedAt: '2026-01-31T06:00:00Z',
  startedAt: '2026-01-31T06:00:01.000Z',
  endedAt: '2026-01-31T06:00:03.500Z',
  lockfiles: 2,
  packages: 12,
  outcomes: { resolved: 11, failed: 1 },
  unread: 2,
  unreadFiles: [{ path: 'a.lock', reason: 'not JSON' }],
  gaps: 3,
  incomplete: true,
  findings: { high: 1 },
  changes: { opened: 1 },
  deliveries: 1,
  delivered: 0,
  failedDeliveries: 1,
};
const options = { colour: false, width: 400 };

it('a list shows state, contents and alerts of each scan', () => {
  const text = scanListText({ scans: [scan] }, { ...options, more: true });
  for (const part of [
    'concluded',
    'took 2.5 s',
    '12 packages in 2 lockfiles (11 resolved, 1 failed)',
    '2 lockfiles not read',
    '3 gaps',
    'incomplete',
    'findings: 1 high',
    'changes: 1 opened',
    '0 of 1 alert delivered, 1 failed',
    '--limit',
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain('\u001b');
  expect(scanListText({ scans: [] }, options)).toBe('No scans.\n');
});

it('one scan names its unread lockfiles', () => {
  const text = scanText({ scan, deliveries: [] }, options);
  expect(text).toContain('not read: a.lock: not JSON');
  expect(text).toContain('and 1 more that were not read');
});
