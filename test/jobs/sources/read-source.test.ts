import { describe, expect, test } from 'vitest';
import type { Ports } from '../../../src/jobs/ports.ts';
import { readSource } from '../../../src/jobs/sources/read-source.ts';
import { scanIdOf } from '../../../src/model/scan/scan-id.ts';
import type { WatchedTarget } from '../../../src/model/watch/schedule.ts';
import type { SourceReading } from '../../../src/model/watch/source.ts';
import { context, FakeError, ports } from '../facts.ts';
import { SOURCE, scheduleRoom } from './schedule-facts.ts';

const RUN = '19700101T001500000Z';
const NOW = '1970-01-01T00:16:40.000Z';
const target = { id: 'shop', labels: { team: 'web' } };
const payload = { schedule: 'acme', run: RUN, due: '1970-01-01T00:15:00.000Z', target };
const open = { shop: { run: RUN, source: SOURCE, definition: 'd' } };
const sha256 = 'a'.repeat(64);

const READING: SourceReading = {
  revision: { commit: 'c1' },
  files: [
    {
      path: 'yarn.lock',
      sha256,
      bytes: 5,
      companions: [
        { name: 'package.json', sha256, bytes: 5 },
        { name: 'x', unread: { code: 'outside', message: 'x: out' } },
      ],
    },
    { path: 'go.sum', unread: { code: 'too-large', message: 'go.sum: large' } },
  ],
};

const known: WatchedTarget = {
  target,
  source: SOURCE,
  definition: 'd',
  run: '0',
  due: '1970-01-01T00:00:00.000Z',
  at: '1970-01-01T00:00:00.000Z',
  ending: 'scanned',
  scan: 'before',
  readAt: '1970-01-01T00:00:00.000Z',
};

const failing = { since: '1970-01-01T00:05:00.000Z', code: 'refused', reason: 'no' };

const SUMMARY = { lockfiles: [], packages: 1, open: {}, openByRule: {}, requestedAt: NOW };

type Read = Ports['sources']['read'];

function read(
  given: Parameters<typeof scheduleRoom>[0],
  answer: SourceReading | 'unchanged' | Error | Read,
  more: Partial<ReturnType<typeof context>> = {},
  labels: { own?: Record<string, string>; stored?: Record<string, string> } = {},
) {
  const { own = target.labels, stored = {} } = labels;
  const port: Read = async (...args) => {
    if (typeof answer === 'function') return answer(...args);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const { port: schedules } = scheduleRoom({ open, ...given });
  return readSource.run(
    { ...payload, target: { ...target, labels: own } },
    ports({
      fleet: { summary: async () => ({ ...SUMMARY, labels: stored }) },
      schedules,
      sources: { read: port },
    }),
    { ...context(), ...more },
  );
}

describe('read-source', () => {
  test('requests a scan of what it read, and records it', async () => {
    const { result, next, watch } = await read({}, READING);
    expect(result).toEqual({ ending: 'scanned', files: 2 });
    expect(next).toMatchObject([
      {
        job: 'ingest-lockfiles',
        payload: {
          scan: scanIdOf(target.id, `${payload.schedule}.${payload.run}`),
          target,
          lockfiles: READING.files,
          requestedAt: NOW,
        },
      },
    ]);
    expect(watch).toMatchObject({
      kind: 'reading',
      run: RUN,
      target: 'shop',
      ending: 'scanned',
      entry: {
        ending: 'scanned',
        readAt: NOW,
        scan: scanIdOf(target.id, `${payload.schedule}.${payload.run}`),
      },
      reading: READING,
    });
  });

  test('keeps the labels of a target when its schedule has none', async () => {
    const labelsAfter = async (own: Record<string, string>) => {
      const { next } = await read({}, READING, {}, { own, stored: { team: 'data' } });
      const scan = next[0]?.payload as { target: typeof target } | undefined;
      return scan?.target.labels;
    };
    expect(await labelsAfter({})).toEqual({ team: 'data' });
    expect(await labelsAfter({ tier: '1' })).toEqual({ tier: '1' });
  });

  test('of an unchanged source reads nothing, and repeats the scan of what it read before', async () => {
    const seen: unknown[] = [];
    const { result, next, watch } = await read(
      { targets: [known], reading: READING },
      async (_source, revision) => {
        seen.push(revision);
        return 'unchanged';
      },
    );
    expect(seen).toEqual([{ commit: 'c1' }]);
    expect(result.ending).toBe('unchanged');
    expect(next).toMatchObject([{ job: 'ingest-lockfiles', payload: { lockfiles: READING.files } }]);
    expect(watch).not.toHaveProperty('reading');
  });

  test('reads a source anew when its definition changed, or its contents are no longer stored', async () => {
    const revisions: unknown[] = [];
    const answer: Read = async (_source, revision) => {
      revisions.push(revision);
      return READING;
    };
    await read({ targets: [{ ...known, definition: 'other' }], reading: READING }, answer);
    await read({ targets: [known] }, answer);
    expect(revisions).toEqual([undefined, undefined]);
  });

  test('that fails is recorded with the time of its first fault, and scans nothing', async () => {
    const gone = new FakeError('fake', 'it is\n  gone');
    const first = await read({ targets: [known] }, gone);
    expect(first).toMatchObject({
      result: { ending: 'failed', reason: 'it is gone' },
      next: [],
      watch: {
        ending: 'failed',
        entry: {
          readAt: known.readAt,
          scan: 'before',
          failing: { since: NOW, code: 'fake', reason: 'it is gone' },
        },
      },
    });
    expect(first.watch).not.toHaveProperty('reading');
    const later = await read({ targets: [{ ...known, failing }] }, gone);
    expect(later.watch).toMatchObject({ entry: { failing: { since: failing.since, code: 'fake' } } });
  });

  test('is retried while it may succeed; errors without a code count as such', async () => {
    for (const error of [new FakeError('fake', 'busy', { retryable: true }), new Error('bug')]) {
      await expect(read({}, error)).rejects.toBe(error);
      expect((await read({}, error, { lastAttempt: true })).result.ending).toBe('failed');
    }
    expect((await read({}, READING, { stalled: true })).result).toMatchObject({
      ending: 'failed',
      reason: expect.stringContaining('workers died'),
    });
  });

  test('that can be read again asks for the resolution of its finding', async () => {
    const { next } = await read({ targets: [{ ...known, failing }] }, READING);
    expect(next.map(({ job }) => job)).toEqual(['ingest-lockfiles', 'judge-source']);
    expect(next[1]?.payload).not.toHaveProperty('failing');
  });

  test('of a run that was abandoned does nothing', async () => {
    const other = { shop: { ...open.shop, run: 'later' } };
    for (const one of [{}, other]) {
      expect(await read({ open: one }, new Error('must not be read'))).toEqual({
        result: { ending: 'superseded' },
        next: [],
      });
    }
  });

  test('that failed permanently still ends its part of the run', async () => {
    const { port: schedules, updates } = scheduleRoom({ open, targets: [known] });
    await readSource.onEnd?.(payload, { kind: 'failed', reason: 'a bug' }, ports({ schedules }));
    expect(updates).toMatchObject([
      {
        kind: 'reading',
        run: RUN,
        target: 'shop',
        ending: 'failed',
        entry: { failing: { reason: 'a bug' } },
      },
    ]);
    await readSource.onEnd?.(payload, { kind: 'retry', reason: 'x', delayMs: 1 }, ports({ schedules }));
    expect(updates).toHaveLength(1);
  });
});
