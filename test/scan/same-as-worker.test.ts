import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, garbageAnswer, htmlAnswer, tooManyRequests } from '../../src/embedded/faults.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { LOCKFILE, SOUND } from '../pipeline/fixtures.ts';
import { openRooms, type Room, type Rooms } from './rooms.ts';

let rooms: Rooms;

beforeAll(async () => {
  rooms = await openRooms();
});

afterAll(() => rooms.close());

type Files = Readonly<Record<string, string>>;

interface Scenario {
  readonly name: string;
  /** Scans, and checks the results that the worker and the core must have. */
  readonly play: (room: Room, scan: Scan) => Promise<void>;
}

/** Scans `files` of the one target. `day` orders the scans. */
type Scan = (day: number, files: Files, changes?: { readonly partial?: boolean }) => Promise<ScanReport>;

/** Everything that users see of a scenario. */
async function transcriptOf(room: Room, { play }: Scenario): Promise<unknown> {
  const reports: ScanReport[] = [];
  try {
    await play(room, async (day, files, changes = {}) => {
      const report = await room.scan({
        ...changes,
        scan: `scan-${day}`,
        target: { id: 'target', labels: { team: 'one' } },
        requestedAt: new Date(Date.UTC(2026, 0, day)).toISOString(),
        lockfiles: Object.entries(files).map(([path, content]) => ({ path, content })),
      });
      reports.push(report);
      return report;
    });
    const transcript = { reports, retries: room.retries() };
    const text = JSON.stringify(transcript, (key, value) => {
      if (key === 'priority') return withoutFix(value);
      return OWN_FIELDS.has(key) ? undefined : value;
    });
    return JSON.parse(text.replaceAll(room.service.url, 'http://service'));
  } finally {
    await room.close();
  }
}

/** Advice is a part of the priority, too. */
function withoutFix({ parts }: NonNullable<Finding['priority']>): object {
  return { parts: parts.filter(({ name }) => name !== 'fix') };
}

/** Only a command's report has digests and sources, and only a worker's verdict has ages and advice: a command adds its own advice later. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['input', 'basis', 'readAt', 'integrity', 'source'],
  ...['advice', 'fixes', 'age'],
]);

const transitions = ({ verdict }: ScanReport) =>
  verdict.changes.map(({ transition, finding }) => `${transition} ${finding.package.name}`);

const batches = ({ url }: { readonly url: string }) => /batch/i.test(url);

function without(name: string): string {
  const lockfile = JSON.parse(LOCKFILE);
  delete lockfile.packages[`node_modules/${name}`];
  return JSON.stringify(lockfile);
}

const OUTAGES: Readonly<Record<string, Fault>> = {
  'answers HTML': htmlAnswer(),
  'answers garbage': garbageAnswer(),
  'limits the rate': tooManyRequests(1),
  'fails with 500': { kind: 'answer', status: 500, body: 'internal error' },
};

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'outcomes, findings and gaps of a first scan',
    async play(_room, scan) {
      const { inventory, verdict } = await scan(1, {
        'package-lock.json': LOCKFILE,
        'broken/package-lock.json': LOCKFILE.slice(0, 200),
        'empty/package-lock.json': '',
        'go.mod': 'module example.com/shop\n\nrequire golang.org/x/text v0.3.7\n',
        'private/package-lock.json': JSON.stringify({
          lockfileVersion: 3,
          packages: {
            '': {},
            'node_modules/own': { version: '1.0.0', resolved: 'https://npm.example.com/own/-/own-1.0.0.tgz' },
            'node_modules/odd': { version: 7 },
          },
        }),
      });
      expect(inventory.lockfiles.map(({ path }) => path)).toContain('private/package-lock.json');
      expect(inventory.unread.map(({ path }) => path)).toContain('broken/package-lock.json');
      expect(verdict.counts.outcomes).toMatchObject({ resolved: 3, private: 1, failed: 0 });
      expect(verdict.gaps.map(({ kind }) => kind)).toContain('entry');
      expect(verdict.findings.length).toBeGreaterThan(3);
      expect(verdict.complete).toBe(false);
    },
  },
  {
    name: 'changes from scan to scan',
    async play({ service }, scan) {
      expect(new Set(transitions(await scan(1, { 'package-lock.json': LOCKFILE })))).toContain(
        'opened lodash',
      );
      expect(transitions(await scan(2, { 'package-lock.json': LOCKFILE }))).toEqual([]);
      expect(new Set(transitions(await scan(3, { 'package-lock.json': without('request') })))).toEqual(
        new Set(['resolved request']),
      );
      expect(new Set(transitions(await scan(4, { 'package-lock.json': LOCKFILE })))).toEqual(
        new Set(['reopened request']),
      );
      expect(transitions(await scan(5, { 'package-lock.json': LOCKFILE.slice(0, 200) }))).toEqual([]);
      expect(service.stats().requests.get('insights.purlLookupBatch')).toBeGreaterThan(0);
    },
  },
  {
    name: 'a scan that was requested before the last judged one',
    async play(_room, scan) {
      await scan(2, { 'package-lock.json': LOCKFILE });
      const { verdict } = await scan(1, { 'package-lock.json': SOUND });
      expect(verdict).toMatchObject({ superseded: true, changes: [] });
    },
  },
  {
    name: 'a scan of some of the lockfiles',
    async play(_room, scan) {
      await scan(1, { 'a/package-lock.json': LOCKFILE, 'b/package-lock.json': LOCKFILE });
      const partial = await scan(2, { 'b/package-lock.json': SOUND }, { partial: true });
      expect(transitions(partial)).toEqual([]);
      expect(partial.verdict).toMatchObject({ partial: true, complete: true });
      expect(transitions(await scan(3, { 'b/package-lock.json': SOUND }))).toContain('resolved lodash');
    },
  },
  ...Object.entries(OUTAGES).flatMap(([what, fault]): readonly Scenario[] => [
    {
      name: `a service that ${what} once`,
      async play({ service, retries }, scan) {
        service.faults.inject(fault, { times: what === 'limits the rate' ? 3 : 1, when: batches });
        const { verdict } = await scan(1, { 'package-lock.json': LOCKFILE });
        expect(verdict.counts.outcomes).toMatchObject({ resolved: 3, missing: 1, failed: 0 });
        expect(verdict.gaps).toEqual([]);
        expect(retries()).toBe(1);
      },
    },
  ]),
  {
    name: 'a service that answers nothing to the last attempt',
    async play({ service }, scan) {
      await scan(1, { 'package-lock.json': LOCKFILE });
      service.faults.inject(htmlAnswer(), { times: 99, when: batches });
      const { verdict } = await scan(2, {
        'package-lock.json': LOCKFILE,
        'b/package-lock.json': without('lodash'),
      });
      expect(verdict.complete).toBe(false);
      expect(verdict.changes).toEqual([]);
    },
  },
  {
    name: 'an advisory that the service lacks',
    async play({ service }, scan) {
      service.faults.inject(
        { kind: 'answer', status: 404, body: 'advisory not found' },
        { times: 9, when: ({ url }) => url.includes('GHSA-35jh-r3h4-6jhm') },
      );
      const { verdict } = await scan(1, { 'package-lock.json': LOCKFILE });
      expect(verdict.gaps).toMatchObject([{ kind: 'advisory', subject: 'GHSA-35jh-r3h4-6jhm' }]);
    },
  },
  {
    name: 'advisories that cannot be fetched to the last attempt',
    async play({ service, retries }, scan) {
      service.faults.inject(htmlAnswer(), { times: 99, when: ({ url }) => url.includes('/advisories/') });
      const { verdict } = await scan(1, { 'package-lock.json': LOCKFILE });
      expect(verdict.gaps.map(({ kind }) => kind)).toContain('advisory');
      expect(verdict.findings.some(({ severity }) => severity === 'unrated')).toBe(true);
      expect(retries()).toBe(1);
    },
  },
  {
    name: 'an advisory that is published between two scans',
    async play({ service }, scan) {
      const [advisory] = service.heldBack;
      if (advisory === undefined) throw new Error('the data set has no advisory that is held back');
      const packages = { '': {}, 'node_modules/axios': { version: '0.21.1' } };
      const files = { 'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }) };
      expect(transitions(await scan(1, files)).length).toBeGreaterThan(0);
      service.learnAdvisory(advisory);
      expect(transitions(await scan(2, files))).toEqual(['opened axios']);
    },
  },
];

describe('a worker and the core', () => {
  it.each(SCENARIOS)('say the same of $name', async (scenario) => {
    const worker = await transcriptOf(await rooms.worker(), scenario);
    const core = await transcriptOf(await rooms.core(), scenario);
    expect(core).toEqual(worker);
  });
});
