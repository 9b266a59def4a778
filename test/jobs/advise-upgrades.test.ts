import { expect, it, vi } from 'vitest';
import { adviseUpgrades } from '../../src/jobs/advise-upgrades.ts';
import type { Ports } from '../../src/jobs/ports.ts';
import { CodedError } from '../../src/model/errors.ts';
import { FakeError, ports } from './facts.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const key = { system: 'NPM', name: 'parser', version: '1.0.0' } as const;
const payload = {
  advice: 'scan-1',

  requestedAt: '2026-11-22T11:59:59Z',
  packages: [
    { key, directs: [] },
    { key: { ...key, name: 'other' }, directs: [key] },
  ],
};

function run(learn: Ports['knownFixes']['learn'], { lastAttempt = false, waiting = 0 } = {}) {
  const given = ports({
    knownFixes: { mode: 'apart', read: async () => [], unasked: (_, all) => all, learn },
  });
  const fleet = { ...given.fleet, waitingScans: async () => waiting };
  return adviseUpgrades.run(
    payload,
    { ...given, fleet },
    {
      startedAt: NOW,
      signal: new AbortController().signal,
      lastAttempt,
      stalled: false,
      progress: () => {},
    },
  );
}

it('asks about every package once', async () => {
  const learn = vi.fn(async () => {});
  expect(await run(learn)).toEqual({ result: { advised: 2, failed: 0 }, next: [] });
  expect(learn.mock.calls.map(([question]: unknown[]) => question)).toEqual(payload.packages);
  expect((await adviseUpgrades.schema()).parse(payload)).toEqual(payload);
});

it('lets scans pass', async () => {
  const learn = vi.fn(async () => {});
  await expect(run(learn, { waiting: 3 })).rejects.toMatchObject({ code: 'others-first', retryable: true });
  expect(learn).not.toHaveBeenCalled();
});

it('learns the rest when the service does not answer for one, and asks again later', async () => {
  const refused = new FakeError('fake', 'busy', { retryable: true, retryAfterMs: 7 });
  const learn = vi.fn(async (question: (typeof payload.packages)[number]) => {
    if (question.key.name === 'parser') throw refused;
  });
  await expect(run(learn)).rejects.toMatchObject({ code: 'insights-partial', retryAfterMs: 7 });
  expect(learn).toHaveBeenCalledTimes(2);
  expect(await run(learn, { lastAttempt: true })).toMatchObject({ result: { advised: 1, failed: 1 } });
});

it('fails at a fault of the program', async () => {
  await expect(run(() => Promise.reject(new TypeError('fault')))).rejects.not.toBeInstanceOf(CodedError);
});
