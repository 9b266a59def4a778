import { describe, expect, it } from 'vitest';
import { ingestLockfiles } from '../../src/jobs/ingest-lockfiles.ts';
import type { IngestLockfiles } from '../../src/jobs/payloads/ingest-lockfiles.ts';
import type { ScanCounts, TargetState } from '../../src/model/scan/change.ts';
import { context, locked, ports } from './facts.ts';

const SCAN: IngestLockfiles = {
  scan: 'second',
  target: { id: 'shop', labels: { team: 'web', tier: '1' } },
  requestedAt: '2026-05-02T00:00:00Z',
  lockfiles: [
    {
      path: 'requirements.txt',
      content: 'requests==2.0.0\n-r more.txt\n',
      companions: [{ name: 'more.txt', content: 'flask==1.0.0\n' }],
    },
  ],
};
const COUNTS: ScanCounts = {
  lockfiles: 1,
  packages: 2,
  outcomes: { resolved: 2, missing: 0, unsupported: 0, private: 0, failed: 0, uncovered: 0 },
  severities: { critical: 0, high: 1, medium: 0, low: 0, none: 0, unrated: 0 },
  notes: 0,
};

/** The time of `atNow()`, and the times to live of `ports()`. */
/** After the scans: a request time in the future says nothing. */
const NOW = Date.parse('2026-05-04T00:00:00Z');
const atNow = () => ({ ...context(), startedAt: NOW });
const RECORD_MS = 60_000;
const MISS_MS = 1_000;

/** Runs the job after a scan of the same input, and says whether it repeated the result of that one. */
async function repeats({
  scan = {},
  state = {},
  ageMs = 10,
  counts = COUNTS,
  settings = 'settings',
}: {
  readonly scan?: Partial<IngestLockfiles>;
  readonly state?: Partial<TargetState>;
  readonly ageMs?: number;
  readonly counts?: ScanCounts;
  readonly settings?: string;
}): Promise<boolean> {
  const insights = {
    resolve: async (packages: readonly unknown[]) => ({
      resolutions: packages.map(() => ({ outcome: 'resolved' as const })),
      retryable: false,
    }),
  };
  const first = await ingestLockfiles.run(SCAN, ports({ insights }), atNow());
  const { input } = first.result;
  if (input === undefined) throw new Error('the first scan has no input');
  const before: TargetState = {
    revision: 4,
    scan: 'first',
    requestedAt: '2026-05-01T00:00:00Z',
    findings: [],
    basis: { hash: input.hash, readAt: NOW - ageMs, counts },
    ...state,
  };
  const given = {
    ...ports({ insights, state: before }),
    reuse: { settings, recordMs: RECORD_MS, missMs: MISS_MS },
  };
  const run = await ingestLockfiles.run({ ...SCAN, ...scan }, given, atNow());
  expect(run.result.unchanged === undefined).toBe(run.next.length === 1);
  return run.result.unchanged !== undefined;
}

const [FILE] = SCAN.lockfiles;
if (FILE === undefined || 'unread' in FILE) throw new Error('the scan has no lockfile');

describe('a scan of unchanged lockfiles', () => {
  it('repeats the result of the last one and reads nothing', async () => {
    const state: TargetState = {
      revision: 4,
      scan: 'first',
      requestedAt: '2026-05-01T00:00:00Z',
      findings: [],
    };
    const given = ports({
      insights: { resolve: async () => ({ resolutions: [], retryable: false }) },
      state,
    });
    const reading = await ingestLockfiles.run(
      { ...SCAN, lockfiles: [{ path: 'requirements.txt', content: '' }] },
      given,
      atNow(),
    );
    const basis = { hash: reading.result.input?.hash ?? '', readAt: NOW, counts: COUNTS };
    const run = await ingestLockfiles.run(
      { ...SCAN, lockfiles: [{ path: 'requirements.txt', content: '' }] },
      ports({ state: { ...state, basis } }),
      atNow(),
    );
    expect(run).toEqual({
      result: { lockfiles: [], unread: [], unchanged: { target: 'shop', counts: COUNTS } },
      next: [],
      record: {
        scan: 'second',
        target: 'shop',
        state: 'concluded',
        requestedAt: SCAN.requestedAt,
        lockfiles: 1,
        packages: 2,
        outcomes: { resolved: 2 },
        findings: { high: 1 },
        changes: {},
        unchanged: true,
      },
      state: {
        target: 'shop',
        replaces: 4,
        state: {
          ...state,
          basis,
          revision: expect.any(Number),
          scan: 'second',
          requestedAt: SCAN.requestedAt,
          history: [{ scan: 'second', requestedAt: SCAN.requestedAt, unchanged: true }],
        },
      },
    });
  });

  it('is one with the same content, companions, labels and settings', async () => {
    expect(await repeats({})).toBe(true);
    expect(await repeats({ scan: { target: { id: 'shop', labels: { tier: '1', team: 'web' } } } })).toBe(
      true,
    );
    expect(await repeats({ scan: { target: { id: 'shop', labels: { tier: '2', team: 'web' } } } })).toBe(
      false,
    );
    expect(await repeats({ settings: 'others' })).toBe(false);
    expect(await repeats({ scan: { lockfiles: [{ ...FILE, content: 'requests==2.0.1\n' }] } })).toBe(false);
    expect(await repeats({ scan: { lockfiles: [{ ...FILE, path: 'other.txt' }] } })).toBe(false);
    expect(await repeats({ scan: { lockfiles: [{ ...FILE, companions: [] }] } })).toBe(false);
    const companions = [{ name: 'more.txt', content: 'flask==1.0.1\n' }];
    expect(await repeats({ scan: { lockfiles: [{ ...FILE, companions }] } })).toBe(false);
    const second = { path: 'b/requirements.txt', content: 'a==1\n' };
    expect(await repeats({ scan: { lockfiles: [FILE, second] } })).toBe(false);
  });

  it('is read again when its facts are too old, sooner when a version was missing', async () => {
    expect(await repeats({ ageMs: RECORD_MS - 1 })).toBe(true);
    expect(await repeats({ ageMs: RECORD_MS })).toBe(false);
    const counts = { ...COUNTS, outcomes: { ...COUNTS.outcomes, resolved: 1, missing: 1 } };
    expect(await repeats({ counts, ageMs: MISS_MS - 1 })).toBe(true);
    expect(await repeats({ counts, ageMs: MISS_MS })).toBe(false);
  });

  it('is read when it names only some lockfiles, or one that is unread, or when a later scan was judged', async () => {
    expect(await repeats({ scan: { partial: true } })).toBe(false);
    const unread = { code: 'not-a-file', message: 'more.txt: a FIFO' };
    expect(await repeats({ scan: { lockfiles: [{ path: 'requirements.txt', unread }] } })).toBe(false);
    const companions = [{ name: 'more.txt', unread }];
    expect(await repeats({ scan: { lockfiles: [{ ...FILE, companions }] } })).toBe(false);
    expect(await repeats({ state: { requestedAt: '2026-05-03T00:00:00Z' } })).toBe(false);
  });

  it('keeps the input in the inventory of one that is read', async () => {
    const insights = {
      resolve: async () => ({ resolutions: [{ outcome: 'resolved' as const }], retryable: false }),
    };
    const lockfiles = [{ path: 'requirements.txt', content: `${locked('a').name}==1.0.0\n` }];
    const { result } = await ingestLockfiles.run({ ...SCAN, lockfiles }, ports({ insights }), atNow());
    expect(result.input).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), readAt: NOW });
    expect(result.unchanged).toBeUndefined();
  });
});
