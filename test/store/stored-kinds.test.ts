import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as catalog from '../../src/model/stored/catalog.ts';
import {
  API_ANSWER,
  API_TOKEN,
  APPLIED_OBJECT,
  ASSIGNMENT,
  CACHED_ADVISORY,
  CACHED_DEPENDENCIES,
  CACHED_FIX,
  CACHED_IMAGE_REPOSITORIES,
  CACHED_PUBLISHED_VERSIONS,
  CACHED_VERSION,
  COLLECTED_ADVISORIES,
  DAY_COUNT,
  DELIVERY_ATTEMPT,
  DELIVERY_RECORD,
  DIGEST_ENTRY,
  EXPANDED_DEPENDENCIES,
  FEED_HEAD,
  FEED_POSITION,
  INSPECTION,
  INVENTORY,
  LEDGER_BLOCK,
  LEDGER_REFERENCE,
  LOCKFILE_INVENTORY,
  LOGGED_CHANGES,
  LOOK_UP_FAILURE,
  NOTIFICATION,
  OPEN_ALERT,
  OPEN_JOB,
  OPEN_TARGET,
  OSV_RECORD,
  OUTCOME,
  PROJECT_SCORE,
  REFRESH_RECORD,
  REFRESHED_PART,
  REJECTED_PAYLOAD,
  ROUTING,
  SCAN_RECORD,
  SCHEDULE,
  SCHEDULE_RUN,
  SHARD_LAYOUT,
  SOURCE_READING,
  STOPPED_ROUTE,
  STORED_SUPPRESSION,
  TARGET_STATE,
  TARGET_SUMMARY,
  VERDICT,
  WATCHED_TARGET,
  WORKER_RECORD,
} from '../../src/model/stored/catalog.ts';
import type { StoredKind } from '../../src/model/stored/kind.ts';
import { packLargeJson } from '../../src/store/values/compression.ts';
import { checkValue, readValue, writeLargeValue, writeText } from '../../src/store/values/stored-values.ts';

const at = '2026-01-01T00:00:00Z';
const counts = { critical: 0, high: 1, medium: 0, low: 0, none: 0, unrated: 1 };
const outcomes = { resolved: 1, missing: 0, unsupported: 0, private: 0, failed: 0, uncovered: 0 };
const target = { id: 'shop', labels: { team: 'web' } };
const finding = {
  fingerprint: 'f',
  rule: 'vulnerability',
  level: 'alert',
  severity: 'unrated',
  countsAs: 'medium',
  title: 'a title',
  package: { ecosystem: 'npm', name: 'a', version: '1', purl: 'pkg:npm/a@1', direct: true, groups: ['dev'] },
  locations: [{ path: 'package-lock.json', line: 3, dependencyPath: ['a@1'] }],
  advisory: { id: 'GHSA-1', aliases: ['CVE-1'], title: 't', url: 'https://example.test', score: 5 },
};
const change = { transition: 'worsened', finding, previousSeverity: 'low', announced: 'summary' };
const versionKey = { system: 'NPM', name: 'a', version: '1' };
const record = { versionKey, isDefault: true, isDeprecated: false, licenses: ['MIT'], advisoryIds: [] };
const notification = {
  id: 'm',
  route: 'r',
  scan: 's',
  target,
  date: at,
  changes: [change],
  open: counts,
  gaps: 0,
};
const advisory = { id: 'GHSA-1', url: 'https://example.test', title: 't', aliases: [], problems: ['p'] };
const graph = {
  nodes: [{ versionKey, relation: 'SELF' }],
  edges: [{ from: 0, to: 0 }],
  errors: [],
};
const packages = [
  {
    ...finding.package,
    id: 'a@1',
    resolution: { outcome: 'resolved', record },
  },
];

/** A value of each kind in the form that this release writes. */
const WRITTEN = new Map<StoredKind<unknown>, object>([
  [
    TARGET_STATE,
    {
      revision: 1,
      scan: 's',
      requestedAt: at,
      findings: [{ finding, status: 'open', openedAt: at, changedAt: at }],
      firstScan: { since: at, hidden: 'all' },
    },
  ],
  [
    INVENTORY,
    {
      lockfiles: [
        { path: 'p', sha256: '0', format: 'f', packages, problems: [{ kind: 'unclear', message: 'm' }] },
      ],
      unread: [{ path: 'q', error: { code: 'c', message: 'm' } }],
    },
  ],
  [COLLECTED_ADVISORIES, { advisories: [advisory], failed: [{ id: 'x', reason: 'y' }] }],
  [EXPANDED_DEPENDENCIES, { graphs: [{ versionKey, graph }], failed: [] }],
  [
    VERDICT,
    {
      scan: 's',
      target,
      requestedAt: at,
      findings: [finding],
      changes: [change],
      gaps: [{ kind: 'package', subject: 'a', reason: 'b' }],
      complete: false,
      partial: false,
      open: counts,
      kept: 0,
      counts: { lockfiles: 1, packages: 1, outcomes, severities: counts, notes: 0 },
      superseded: false,
      routed: { pager: [0] },
    },
  ],
  [
    LOCKFILE_INVENTORY,
    {
      format: 'package-lock',
      problems: [{ kind: 'unclear', line: 3, message: 'no version' }],
      positions: [0, 1],
      direct: '1?',
      groupSets: [[], ['dev']],
      groups: [0, 1],
      lines: [7, null],
      dependencies: [[1, 'absent@1'], null],
      ids: { 1: 'b@1 (git)' },
      spelled: { 1: ['B', '1', 'pkg:npm/B@1'] },
      excluded: { 1: ['private', 'a private name'] },
    },
  ],
  [
    TARGET_SUMMARY,
    {
      labels: { team: 'web' },
      lockfiles: [{ path: 'a.json', inventory: 'hash' }, { path: 'b.json' }],
      packages: 2,
      open: { high: 1 },
      openByRule: { vulnerability: { high: 1 } },
      requestedAt: at,
      incomplete: true,
    },
  ],
  [
    OPEN_ALERT,
    {
      rule: 'vulnerability',
      level: 'alert',
      severity: 'high',
      title: 'Something is wrong',
      package: { ecosystem: 'npm', name: 'a', version: '1', purl: 'pkg:npm/a@1', groups: [] },
    },
  ],
  [DAY_COUNT, { day: '2026-01-31', targets: 2, open: { high: 1, unrated: 3 } }],
  [
    WORKER_RECORD,
    {
      ...{ worker: 'w', host: 'h', pid: 1, release: '0.2.0', node: '24.0.0', shards: [0], concurrency: 32 },
      startedAt: '2026-05-01T00:00:00Z',
      seenAt: '2026-05-01T00:01:00Z',
      load: {
        ...{
          periodMs: 60_000,
          loopUtilization: 0.5,
          loopDelayMs: 21,
          memoryBytes: 1,
          finished: 1,
          retried: 0,
          failed: 0,
        },
        ...{ requests: 1, limited: 0, unanswered: 0, busyMs: 10, budgetMs: 0, deliveries: 1, refused: 0 },
      },
      traces: 'off',
    },
  ],
  [API_ANSWER, { request: 'a'.repeat(64), answer: { status: 200, type: 'application/json', body: '{}' } }],
  [
    API_TOKEN,
    {
      name: 'ci',
      role: 'submit',
      targets: ['team-a/*'],
      hash: 'a'.repeat(64),
      createdAt: '2026-05-01T08:00:00Z',
      expiresAt: '2026-08-01T08:00:00Z',
    },
  ],
  [
    OSV_RECORD,
    {
      id: 'GHSA-1',
      modified: at,
      published: at,
      withdrawn: at,
      title: 'left is wrong',
      aliases: ['CVE-1'],
      vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      affected: [
        {
          system: 'NPM',
          name: 'left',
          versions: ['1.0.0'],
          ranges: [
            [
              ['introduced', '0'],
              ['fixed', '1.2.0'],
            ],
          ],
        },
      ],
    },
  ],
  [FEED_POSITION, { until: at, readAt: at, etag: '"1"', recent: { 'GHSA-1': at }, open: { 'GHSA-2': at } }],
  [
    FEED_HEAD,
    {
      feed: 'epss',
      format: 1,
      date: at,
      entries: 5,
      rejected: 1,
      source: 'epss.csv',
      importedAt: at,
      sha256: 'f'.repeat(64),
    },
  ],
  [SHARD_LAYOUT, { shards: 4, move: { from: 4, to: 6 } }],
  [
    REFRESHED_PART,
    {
      answered: 2,
      unknown: 1,
      changed: 1,
      failed: 1,
      unanswered: 1,
      reason: 'no answer',
      lost: ['NPM:ms@2.1.3'],
    },
  ],
  [
    REFRESH_RECORD,
    {
      refresh: 'r',
      startedAt: at,
      finishedAt: at,
      packages: 3,
      advisories: 1,
      changed: 1,
      failed: 1,
      unanswered: 1,
      reason: 'no answer',
      dataLoss: { lost: 2, compared: 3, of: ['NPM advisories'] },
    },
  ],
  [LOOK_UP_FAILURE, { at: 1_700_000_000_000, reason: 'HTTP 401' }],
  [
    ROUTING as unknown as StoredKind<unknown>,
    {
      take: 'all',
      firstScan: 'summary',
      rules: [{ name: 'high', mode: 'change', match: { minSeverity: 'high', later: true }, rest: false }],
    },
  ],
  [
    LOGGED_CHANGES,
    {
      scan: 's',
      target: 't',
      labels: {},
      requestedAt: at,
      changes: [
        {
          transition: 'opened',
          fingerprint: 'f',
          rule: 'vulnerability',
          level: 'alert',
          severity: 'high',
          purl: 'pkg:npm/a@1',
          title: 'About a',
          advisory: 'GHSA-1',
        },
      ],
      omitted: 3,
    },
  ],
  [NOTIFICATION, notification],
  [DIGEST_ENTRY, { scan: 's', target, date: at, changes: [change], open: counts, gaps: 1, revision: 7 }],
  [DELIVERY_ATTEMPT, { at, durationMs: 5, status: 200, answer: 'ok' }],
  [
    STORED_SUPPRESSION,
    {
      suppression: {
        id: 'ignore 1',
        source: 'command',
        reason: 'r',
        package: { ecosystem: 'npm', name: 'a', versions: '<2' },
        advisories: ['CVE-1'],
        labels: { team: 'web' },
        expires: at,
      },
      addedAt: at,
      removed: { at, author: 'a', reason: 'r' },
    },
  ],
  [ASSIGNMENT, { to: 'web', by: 'a', at }],
  [STOPPED_ROUTE, { route: 'r', at, reason: '410' }],
  [APPLIED_OBJECT, { name: 'n', fields: { url: 'hash' } }],
  [
    OUTCOME,
    {
      result: { any: 1 },
      next: [
        {
          job: 'j',
          version: 1,
          key: 'j',
          payload: 1,
          children: [{ job: 'k', version: 1, key: 'k', payload: 2 }],
        },
      ],
    },
  ],
  [OPEN_JOB, { id: 'i', job: 'j', data: { version: 1, key: 'k', payload: {} }, lane: 'l' }],
  [SCAN_RECORD, { target: 't', state: 'concluded', requestedAt: at, findings: { high: 1 } }],
  [REJECTED_PAYLOAD, { at, job: 'j', id: 'i', issues: [{ path: 'p', reason: 'r' }], data: '{}' }],
  [
    SCHEDULE,
    {
      name: 'acme',
      source: {
        kind: 'git',
        repositories: [{ url: 'https://git.example/acme/shop', ref: 'next', target: 'shop' }],
        ref: 'HEAD',
        credentials: 'main',
        exclude: ['old/'],
      },
      target: '$NAME',
      labels: { team: 'web' },
      times: { cron: '0 6 * * *', timeZone: 'UTC' },
      jitterMs: 0,
      origin: 'command',
      paused: true,
      removed: true,
    },
  ],
  [
    SCHEDULE_RUN,
    { run: '1', due: at, startedAt: at, trigger: 'command', state: 'failed', targets: 0, reason: 'r' },
  ],
  [LEDGER_REFERENCE, { object: 'ab'.repeat(16), sha256: 'x'.repeat(43), until: 1_769_839_200 }],
  [
    LEDGER_BLOCK,
    {
      entries: [
        { at: 1_769_839_200, scan: 's1', start: true },
        {
          at: 1_769_925_600,
          scan: 's2',
          commit: 'c'.repeat(40),
          committedAt: '2026-01-31T06:00:00Z',
          files: [{ path: 'package-lock.json', came: [7, 1], via: [0, 1], roots: [7], went: [3] }],
          findings: [
            {
              transition: 'opened',
              rule: 'vulnerability',
              severity: 'high',
              purl: 'pkg:npm/a@1',
              advisory: 'GHSA-1',
              aliases: ['CVE-1'],
              routes: ['default'],
            },
          ],
        },
        { at: 1_769_925_601, scan: 's2', delivered: 'default' },
      ],
    },
  ],
  [OPEN_TARGET, { run: '1', source: { kind: 'url', url: 'https://a.example/bom.json' }, definition: 'd' }],
  [
    WATCHED_TARGET,
    {
      target,
      source: { kind: 'path', path: '/srv/shop', exclude: [] },
      definition: 'd',
      run: '1',
      due: at,
      at,
      ending: 'failed',
      scan: 's',
      readAt: at,
      failing: { since: at, code: 'not-found', reason: 'r' },
    },
  ],
  [
    PROJECT_SCORE,
    {
      checkedAt: at,
      reference: { date: at, overall: 8.1, checks: { Maintained: 10 } },
      now: { date: at, overall: 5.5, checks: { Maintained: 0 } },
      fellAt: at,
      turnedAt: at,
      packages: ['NPM:left-pad@1.0.0'],
    },
  ],
  [
    INSPECTION,
    {
      inspectedAt: at,
      publishedAt: at,
      signals: [{ signal: 'burst', grade: 'strong', text: 't', target: 'shop', past: true }],
      unknown: [{ fact: 'requirements', reason: 'r' }],
      targets: 2,
      requirements: 'h',
    },
  ],
  [
    SOURCE_READING,
    {
      revision: { commit: 'c', etag: 'e', lastModified: 'l' },
      files: [
        {
          path: 'yarn.lock',
          format: 'yarn-lock',
          sha256: 'h',
          bytes: 1,
          companions: [
            { name: 'package.json', sha256: 'h', bytes: 1 },
            { name: 'b', unread: { code: 'c', message: 'm' } },
          ],
        },
        { path: 'go.sum', unread: { code: 'c', message: 'm' } },
      ],
    },
  ],
  [CACHED_VERSION, { record }],
  [CACHED_ADVISORY, { missing: true }],
  [
    CACHED_PUBLISHED_VERSIONS,
    { record: { versions: [{ version: '1.0.1', publishedAt: at, isDefault: true, isDeprecated: false }] } },
  ],
  [CACHED_DEPENDENCIES, { record: graph }],
  [CACHED_IMAGE_REPOSITORIES, { record: { repositories: ['library/node'] } }],
  [
    CACHED_FIX,
    {
      record: {
        computedAt: 1,
        version: '1.0.1',
        breaking: false,
        candidates: [{ version: '1.0.1', advisories: [] }],
        lookedAt: 1,
        ways: { 'a@1': { kind: 'upgrade-direct', to: '2', brings: ['1.0.1'] } },
      },
    },
  ],
]);

/** Stored as the fields of a hash: tested with the deliveries. */
const HASHES: ReadonlySet<StoredKind<unknown>> = new Set([DELIVERY_RECORD]);

const place = { key: 'some:key', remedy: 'Delete it.' };

const KINDS: readonly StoredKind<unknown>[] = Object.values(catalog);

describe.each(KINDS.filter((kind) => !HASHES.has(kind)).map((kind) => ({ name: kind.kind, kind })))(
  'a stored $name',
  ({ kind }) => {
    const written = WRITTEN.get(kind) ?? {};
    const own: StoredKind<object> = { ...kind, schema: async () => z.looseObject({}) };

    it('is read as it was written, at any size', async () => {
      expect(await readValue(kind, writeText(own, written), place)).toEqual(written);
      expect(await readValue(kind, await writeLargeValue(own, written), place)).toEqual(written);
    });

    it('that is damaged is an error with its key and what to do', async () => {
      const error = {
        code: 'state-corrupt',
        retryable: false,
        message: expect.stringMatching(/some:key .*Delete it\.$/),
      };
      await expect(readValue(kind, 'not ours', place)).rejects.toMatchObject(error);
      await expect(readValue(kind, '[]', place)).rejects.toMatchObject(error);
      await expect(checkValue(kind, { version: kind.version }, place)).rejects.toMatchObject(error);
    });

    it('of a newer version is an error that another process may not have', async () => {
      const newer = JSON.stringify({ ...written, version: kind.version + 1 });
      const error = { code: 'state-newer', retryable: true, message: expect.stringContaining('some:key') };
      await expect(readValue(kind, newer, place)).rejects.toMatchObject(error);
    });
  },
);

it('a fault deep in a large value is found and reported with its place', async () => {
  const many = Array.from({ length: 2_000 }, () => packages[0]);
  const lockfile = { path: 'p', sha256: '0', format: 'f', problems: [] };
  const inventory = (all: readonly unknown[]) => ({
    lockfiles: [{ ...lockfile, packages: all }],
    unread: [],
  });
  const stored = await packLargeJson({ ...inventory(many), version: 1 });
  expect(await readValue(INVENTORY, stored, place)).toEqual(inventory(many));
  const damaged = many.with(1_234, { ...packages[0], purl: 7 } as never);
  await expect(checkValue(INVENTORY, inventory(damaged), place)).rejects.toThrow(
    'lockfiles.0.packages.1234.purl',
  );
});

describe('a value of an older version', () => {
  /** Version 1 had one `name`; version 2 called it `title`. */
  const kind: StoredKind<{ readonly names: readonly string[] }> = {
    kind: 'greeting',
    version: 3,
    schema: async () => z.object({ names: z.array(z.string()) }),
    upgrades: {
      1: (value) => ({ title: (value as { name: string }).name }),
      2: (value) => ({ names: (value as { title: string }).title.split(',') }),
    },
  };

  it.each([
    ['without a version', { name: 'a,b' }],
    ['of version 1', { version: 1, name: 'a,b' }],
    ['of version 2', { version: 2, title: 'a,b' }],
    ['of version 3', { version: 3, names: ['a', 'b'] }],
  ])('is upgraded step by step when it is read: %s', async (_of, value) => {
    const expected = { names: ['a', 'b'] };
    expect(await readValue(kind, JSON.stringify(value), place)).toEqual(expected);
    expect(await readValue(kind, await packLargeJson(value), place)).toEqual(expected);
  });

  it('that does not fit after its upgrade is an error', async () => {
    const error = { code: 'state-corrupt', message: expect.stringContaining('names') };
    const stored = { ...kind, upgrades: { ...kind.upgrades, 2: () => ({ names: 7 }) } };
    await expect(readValue(stored, '{"name":"a"}', place)).rejects.toMatchObject(error);
  });
});
