import { describe, expect, it } from 'vitest';
import type { Freshness } from '../../src/model/fleet/refresh.ts';
import type { WorkerLoad, WorkerRecord } from '../../src/model/fleet/worker-record.ts';
import type { FleetNumbers, QueueNumbers } from '../../src/server/metrics/fleet-numbers.ts';
import type { HealthFacts } from '../../src/server/verdict/health-facts.ts';
import { judgeHealth, unreachableVerdict } from '../../src/server/verdict/verdict.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const MINUTE = 60_000;
const ago = (ms: number) => new Date(NOW - ms).toISOString();

const queue = (name: string, more: Partial<QueueNumbers> = {}): QueueNumbers => ({
  ...{ queue: name, waiting: 0, active: 0, delayed: 0, parents: 0, failed: 0, oldestMs: 0 },
  ...more,
});

const COUNTS: FleetNumbers['counts'] = {
  ...{
    targets: 3,
    incompleteTargets: 0,
    failingSources: 0,
    openJobs: 0,
    openDeliveries: 0,
    failedDeliveries: 0,
  },
  rejectedPayloads: 0,
};

const LOAD: WorkerLoad = {
  ...{
    periodMs: MINUTE,
    loopUtilization: 0.2,
    loopDelayMs: 21,
    memoryBytes: 1,
    finished: 5,
    retried: 0,
    failed: 0,
  },
  ...{ requests: 100, limited: 0, unanswered: 0, busyMs: 5_000, budgetMs: 0, deliveries: 3, refused: 0 },
};

const worker = (load: Partial<WorkerLoad> = {}, more: Partial<WorkerRecord> = {}) => ({
  running: true,
  record: {
    ...{
      worker: 'w',
      host: 'host-a',
      pid: 7,
      release: '0.2.0',
      node: '24.0.0',
      concurrency: 32,
      traces: 'off' as const,
    },
    ...{ startedAt: ago(3_600_000), seenAt: ago(5_000), load: { ...LOAD, ...load } },
    ...more,
  },
});

const refresh = (more: object = {}): FleetNumbers['refreshes'] => [
  {
    cadence: 'all',
    last: {
      ...{
        refresh: 'r',
        startedAt: ago(MINUTE),
        finishedAt: ago(0),
        packages: 9,
        advisories: 2,
        changed: 0,
        failed: 0,
      },
      ...{ unanswered: 0, ...more },
    },
  },
];

const FRESH: Freshness = {
  oldest: NOW - MINUTE,
  stale: 0,
  staleTargets: new Set(),
  failure: undefined,
};

function facts(numbers: Partial<FleetNumbers> = {}, more: Partial<HealthFacts> = {}): HealthFacts {
  const server = {
    node: 'r:6379',
    product: 'redis',
    version: '7.2',
    usedBytes: 50,
    limitBytes: 100,
    replicas: 0,
  };
  return {
    numbers: {
      servers: [{ ...server, connectedClients: 1, savedToDisk: true }],
      queues: [queue('judge-scan'), queue('deliver-notification')],
      counts: COUNTS,
      runningWorkers: 1,
      ...{
        stoppedRoutes: [],
        archives: [],
        unreadable: 0,
        refreshes: refresh(),
        freshness: FRESH,
        targets: { open: new Map(), olderThan: new Map() },
      },
      ...numbers,
    },
    workers: [worker()],
    shards: 1,
    redisMs: 1,
    concurrency: new Map([['judge-scan', 2]]),
    settings: {
      ...{ refreshEveryMs: 6 * 60 * MINUTE, staleAfterMs: 24 * 60 * MINUTE, recordEveryMs: 10_000 },
      requestsPerSecond: undefined,
    },
    now: NOW,
    ...more,
  };
}

const partsOf = (given: HealthFacts, part: string) =>
  judgeHealth(given).parts.filter((one) => one.part === part);

it('a deployment without faults is good, with one sentence for each question', () => {
  const health = judgeHealth(facts());
  expect(health).toMatchObject({
    verdict: 'fine',
    summary: 'Everything works.',
    at: '2026-05-01T12:00:00.000Z',
  });
  expect(health.parts.map(({ part, verdict }) => [part, verdict])).toEqual(
    ['flow', 'runs', 'facts', 'telemetry', 'limits'].map((part) => [part, 'fine']),
  );
});

it('every part that is not good says what to do', () => {
  const bad = facts(
    {
      queues: [queue('judge-scan', { waiting: 3, active: 2, failed: 2, oldestMs: 20 * MINUTE })],
      counts: {
        ...COUNTS,
        failedDeliveries: 1,
        incompleteTargets: 2,
        failingSources: 1,
        rejectedPayloads: 4,
      },
      stoppedRoutes: [{ route: 'chat', at: ago(0), reason: 'answered 410' }],
      archives: [
        { waiting: 5, error: 'bucket ledgers: HTTP 503', succeededAt: NOW - 3_600_000 },
        { waiting: 0 },
      ],
      unreadable: 1,
      freshness: { ...FRESH, failure: { at: NOW - MINUTE, reason: 'HTTP 503' } },
    },
    {
      redisMs: 80,
      workers: [worker({ finished: 0, loopUtilization: 0.97, limited: 9 }, { traces: 'lost' })],
    },
  );
  const { verdict, parts, summary } = judgeHealth(bad);
  expect(verdict).toBe('broken');
  expect(summary).toContain('work stands still: the oldest job of judge-scan has waited for 20 minutes');
  expect(parts.filter((part) => part.verdict === 'fine')).toEqual([]);
  for (const part of parts) expect(part.remedy, part.says).toMatch(/[.]$/);
  expect(parts.filter(({ part }) => part === 'runs')).toHaveLength(8);
});

it('old blocks of ledgers that no pass moves are said', () => {
  const says = (archives: FleetNumbers['archives']) =>
    partsOf(facts({ archives }), 'runs').map((one) => one.says);
  expect(says([{ waiting: 1, error: 'HTTP 503' }])).toEqual([
    '1 old block of ledgers waits for the storage, whose last pass never succeeded: HTTP 503',
  ]);
  expect(says([{ waiting: 0, succeededAt: NOW - 4 * 24 * 60 * MINUTE }])).toEqual([
    '0 old blocks of ledgers wait for the storage, whose last pass succeeded 4 days ago: no worker moves them',
  ]);
  expect(says([{ waiting: 0, succeededAt: NOW - 60 * MINUTE }])).toEqual([
    expect.stringContaining('runs succeed'),
  ]);
});

describe('flow', () => {
  it.each([
    ['no worker and nothing to do', {}, { workers: [] }, 'degraded', /^no worker runs$/],
    [
      'no worker while jobs wait',
      { queues: [queue('judge-scan', { waiting: 1, oldestMs: 3 * MINUTE })] },
      { workers: [] },
      'broken',
      /^no worker runs, and 1 job waits, the oldest for 3 minutes$/,
    ],
    [
      'a worker that died counts as none',
      { queues: [queue('judge-scan', { waiting: 1, oldestMs: 3 * MINUTE })] },
      { workers: [{ ...worker(), running: false }] },
      'broken',
      /^no worker runs/,
    ],
    [
      'a shard without a worker',
      {},
      { shards: 2, workers: [worker({}, { shards: [1] })] },
      'broken',
      /of shard 0$/,
    ],
    [
      'jobs that finish, but late',
      { queues: [queue('judge-scan', { waiting: 9, oldestMs: 16 * MINUTE })] },
      {},
      'degraded',
      /^work is late/,
    ],
  ] as const)('%s', (_name, numbers, more, verdict, says) => {
    expect(partsOf(facts(numbers, more), 'flow')).toMatchObject([
      { verdict, says: expect.stringMatching(says) },
    ]);
  });
});

describe('facts', () => {
  const failure = { at: NOW - MINUTE, reason: 'HTTP 401' };
  const stale = { ...FRESH, oldest: NOW - 25 * 60 * MINUTE, stale: 3, staleTargets: new Set(['a']) };
  it.each<[string, Partial<FleetNumbers>, string, RegExp]>([
    ['answered', {}, 'fine', /the oldest answer is 60 seconds old$/],
    [
      'without an answer for a short time',
      { freshness: { ...FRESH, failure } },
      'degraded',
      /not answered: HTTP 401; some have no answer since 2026-05-01T11:59:00.000Z, 60 seconds ago/,
    ],
    [
      'without an answer for longer than allowed',
      { freshness: { ...stale, failure } },
      'broken',
      /3 package versions and advisories got no answer for 24 hours, .* 25 hours ago: HTTP 401/,
    ],
    ['not looked up', { freshness: stale }, 'broken', /25 hours ago$/],
    [
      'lost by the service',
      { refreshes: refresh({ dataLoss: { lost: 6, compared: 9, of: ['NPM advisories'] } }) },
      'degraded',
      /lost its data: it no longer states 6 of 9 facts \(NPM advisories\)/,
    ],
    ['lost by Redis', { freshness: { ...stale, oldest: undefined } }, 'broken', /there is no answer at all/],
    ['of nothing', { freshness: { ...FRESH, oldest: undefined } }, 'fine', /no package of the targets/],
    [
      'in progress',
      { refreshes: [{ cadence: 'all' as const, running: { open: 3, done: 1 } }] },
      'fine',
      /1 of 4 parts/,
    ],
  ])('%s', (_name, numbers, verdict, says) => {
    expect(partsOf(facts(numbers), 'facts')).toMatchObject([{ verdict, says: expect.stringMatching(says) }]);
  });

  const position = (readAt: string, open: Readonly<Record<string, string>> = {}) =>
    ({ until: readAt, readAt, recent: {}, open }) as const;

  it.each<[string, HealthFacts['feeds'], string, RegExp]>([
    ['is read', [['npm', position(ago(30_000))]], 'fine', /fresh/],
    [
      'was not read for long',
      [['npm', position(ago(11 * MINUTE))]],
      'degraded',
      /not followed: npm since 2026/,
    ],
    ['was never read', [['Go', undefined]], 'degraded', /not followed: Go at all/],
    [
      'lies about time',
      [['npm', { ...position(ago(30_000)), fault: '2 changes are of a time that has not come' }]],
      'degraded',
      /cannot be right: npm: 2 changes are of a time/,
    ],
    [
      'names what cannot be read',
      [['npm', position(ago(30_000), { 'GHSA-1': ago(60_000) })]],
      'degraded',
      /^one changed advisory cannot be read, among them GHSA-1|^1 changed advisory cannot be read, among them GHSA-1/,
    ],
  ])('of which a list of changed advisories %s', (_, feeds, verdict, says) => {
    expect(partsOf(facts({}, { feeds: feeds ?? [] }), 'facts')).toMatchObject([
      { verdict, says: expect.stringMatching(says) },
    ]);
  });
});

describe('telemetry', () => {
  it.each([
    ['silent', [worker({}, { seenAt: ago(MINUTE) })], /host-a \(process 7\) has not reported for 60 seconds/],
    [
      'old data',
      [worker({}, { faults: ['KEV: it is damaged'] })],
      /imported data are not whole or not up to date: KEV: it is damaged/,
    ],
    ['lost traces', [worker({}, { traces: 'lost' })], /traces of 1 worker are lost/],
    ['two releases', [worker(), worker({}, { release: '0.1.0' })], /several releases run: 0\.1\.0, 0\.2\.0/],
    [
      'a clock ahead',
      [worker({}, { seenAt: ago(-MINUTE) })],
      /clock of worker host-a \(process 7\) is ahead/,
    ],
    ['a dead one', [worker(), { ...worker(), running: false }], /1 worker ended without stopping/],
  ])('%s', (_name, workers, says) => {
    const found = partsOf(facts({}, { workers }), 'telemetry');
    expect(found).toMatchObject([{ verdict: 'degraded', says: expect.stringMatching(says) }]);
  });
});

describe('limits', () => {
  const waiting = { queues: [queue('judge-scan', { waiting: 4, active: 1, oldestMs: MINUTE })] };
  it.each([
    [
      '429 while the age of jobs is not known',
      { queues: [queue('ingest-lockfiles', { waiting: 4 })] },
      { workers: [worker({ limited: 30 })] },
      /insights service is the bottleneck: it answered 30 of 100/,
    ],
    [
      '429',
      waiting,
      { workers: [worker({ limited: 30 })] },
      /insights service is the bottleneck: it answered 30 of 100/,
    ],
    [
      'budget',
      waiting,
      { workers: [worker({ budgetMs: 300_000 })] },
      /request budget is the bottleneck .*: requests wait 3 seconds each/,
    ],
    ['concurrency', waiting, { workers: [worker({ busyMs: 32 * MINUTE })] }, /insights\.concurrency.*100 %/],
    [
      'workers',
      { queues: [queue('judge-scan', { waiting: 4, active: 2, oldestMs: MINUTE })] },
      {},
      /number of workers is the bottleneck: all places for judge-scan/,
    ],
    ['CPU', {}, { workers: [worker({ loopUtilization: 0.95 })] }, /CPU of worker host-a is the bottleneck/],
    ['Redis', {}, { redisMs: 60 }, /Redis is the bottleneck: a round trip takes 60 ms/],
    [
      'receiver',
      { counts: { ...COUNTS, openDeliveries: 5 } },
      { workers: [worker({ deliveries: 4, refused: 3 })] },
      /receiver is the bottleneck: it did not accept 3 of 4/,
    ],
    [
      'a receiver that is given time',
      {
        counts: { ...COUNTS, openDeliveries: 1 },
        queues: [queue('deliver-notification', { delayed: 1 })],
        oldestDelivery: NOW - 180 * MINUTE,
      },
      { workers: [worker({ deliveries: 0 })] },
      /no alert is sent: 1 alert waits for another attempt, and the oldest alert waits for 3 hours/,
    ],
    [
      'lanes',
      { queues: [queue('deliver-notification', { waiting: 1, active: 2, delayed: 30 })] },
      {},
      /order of alerts is the bottleneck: 30 wait/,
    ],
  ] as const)('%s', (_name, numbers, more, says) => {
    const found = partsOf(facts(numbers, more), 'limits');
    expect(found).toHaveLength(1);
    expect(found[0]?.verdict).toBe('degraded');
    expect(found[0]?.says).toMatch(says);
  });

  it('says that an alert that is not delivered for an hour does not work, whatever other receivers do', () => {
    const waits = (minutes: number) => {
      const counts = { ...COUNTS, openDeliveries: 2 };
      const all = facts(
        { counts, oldestDelivery: NOW - minutes * MINUTE },
        { workers: [worker({ deliveries: 40, refused: 0 })] },
      );
      return partsOf(all, 'runs');
    };
    expect(waits(59)).toMatchObject([{ verdict: 'fine' }]);
    expect(waits(180)).toMatchObject([
      { verdict: 'broken', says: '2 alerts are not delivered, the oldest for 3 hours' },
    ]);
  });

  it('names Redis memory as bad', () => {
    const { numbers } = facts();
    const servers = numbers.servers.map((one) => ({ ...one, usedBytes: 90 }));
    expect(partsOf(facts({ servers }), 'limits')).toMatchObject([{ verdict: 'broken' }]);
  });

  it('names a Redis that drops keys, since somebody changed its policy while workers run', () => {
    const { numbers } = facts();
    const withPolicy = (evictionPolicy: string) =>
      partsOf(facts({ servers: numbers.servers.map((one) => ({ ...one, evictionPolicy })) }), 'limits');
    expect(withPolicy('noeviction')).toMatchObject([{ verdict: 'fine' }]);
    expect(withPolicy('allkeys-lru')).toMatchObject([
      { verdict: 'broken', says: expect.stringContaining('allkeys-lru') },
    ]);
  });

  it('names no limit while jobs wait for what no setting changes', () => {
    expect(partsOf(facts(waiting), 'limits')).toMatchObject([{ verdict: 'fine' }]);
  });
});

it('without Redis the verdict is bad and says only that', () => {
  expect(unreachableVerdict('connection refused', NOW)).toMatchObject({
    verdict: 'broken',
    parts: [{ part: 'flow', says: 'Redis does not answer: connection refused' }],
  });
});

describe('an insights service that does not answer', () => {
  const numbers = { queues: [queue('ingest-lockfiles', { delayed: 2 })] };

  it('is named, with the scans that wait for it', () => {
    const workers = [worker({ requests: 9, unanswered: 9, finished: 0 })];
    expect(partsOf(facts(numbers, { workers }), 'runs')).toMatchObject([
      { verdict: 'broken', says: expect.stringContaining('9 of the last 9 requests had no usable answer') },
    ]);
    expect(partsOf(facts(numbers, { workers }), 'flow')).toMatchObject([
      { verdict: 'degraded', says: expect.stringContaining('2 jobs of scans failed and will run again') },
    ]);
  });

  it('is no fault while most requests are answered and work goes on', () => {
    const workers = [worker({ requests: 9, unanswered: 1 })];
    expect(partsOf(facts(numbers, { workers }), 'runs')).toMatchObject([{ verdict: 'fine' }]);
    expect(partsOf(facts(numbers, { workers }), 'flow')).toMatchObject([{ verdict: 'fine' }]);
  });
});
