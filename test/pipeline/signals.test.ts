import { describe, expect, it } from 'vitest';
import type { IndexedPackage, IndexedVersion } from '../../src/embedded/insights/data-set.ts';
import { inspectionsDue } from '../../src/jobs/payloads/inspect-packages.ts';
import { createInbox, enqueue, idle, refresh, scan } from './fleet.ts';
import { createWorld, type World } from './world.ts';

const HOUR = 3_600_000;
const NAME = 'left-pad-signals';

/** A time before the test, in hours. */
function ago(hours: number): string {
  return new Date(Date.now() - hours * HOUR).toISOString();
}

const ATTESTED = [
  {
    type: 'https://slsa.dev/provenance/v1',
    url: '',
    verified: true,
    sourceRepository: 'https://github.com/acme/left-pad',
    commit: 'c0ffee',
  },
];

function versionOf(version: string, hours: number, given: Partial<IndexedVersion> = {}): IndexedVersion {
  return { version, publishedAt: ago(hours), dependencies: {}, attestations: ATTESTED, ...given };
}

function packageOf(name: string, versions: readonly IndexedVersion[]): IndexedPackage {
  return { system: 'NPM', name, default: versions.at(-1)?.version, versions: [...versions] };
}

const OLD = [versionOf('1.2.0', 3_000), versionOf('1.3.0', 2_000)];

function lockfile(version: string, given: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    name: 'fixture',
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { [NAME]: version } },
      [`node_modules/${NAME}`]: { version, ...given },
    },
  });
}

async function withRoom(run: (world: World, room: Awaited<ReturnType<World['room']>>) => Promise<void>) {
  const world = await createWorld();
  try {
    const room = await world.room('signals', [], { config: ['watch: { every: 0s, young: 0s }'] });
    room.work();
    await run(world, room);
  } finally {
    await world.close();
  }
}

describe('a version that newly runs a script at installation', () => {
  it('is a signal that stays when the version is inspected again', async () => {
    await withRoom(async (world, room) => {
      const { insights } = world.services;
      insights.putPackage(packageOf(NAME, [...OLD, versionOf('1.4.0', 9), versionOf('1.4.1', 8)]));
      await scan(room, 'one', lockfile('1.3.0'));
      const signalsOf = async (version: string) => {
        const [inspection] = await room.store.inspections.read([`NPM:${NAME}@${version}`]);
        return inspection?.signals.map(({ signal }) => signal);
      };
      await scan(room, 'one', lockfile('1.4.0', { hasInstallScript: true }));
      expect(await signalsOf('1.4.0')).toEqual(['install-script', 'fresh-release']);
      const again = inspectionsDue([{ system: 'NPM', name: NAME, version: '1.4.0' }], new Date());
      for (const job of again) await enqueue(room, job);
      await idle(room);
      expect(await signalsOf('1.4.0')).toEqual(['install-script', 'fresh-release']);
      // An attacker may publish several versions in a row.
      await scan(room, 'one', lockfile('1.4.1', { hasInstallScript: true }));
      expect(await signalsOf('1.4.1')).toEqual(['install-script', 'fresh-release']);
    });
  });
});

describe('a package version that is new to the fleet', () => {
  it('alerts when its signals together are an incident, in the targets that hold it', async () => {
    await withRoom(async (world, room) => {
      const { insights } = world.services;
      const inbox = createInbox(world, 'signals');
      insights.putPackage(packageOf(NAME, OLD));
      for (const target of ['one', 'two']) await scan(room, target, lockfile('1.3.0'));
      const baseline = insights.stats().requests;
      expect(baseline.get('insights.getPackage') ?? 0).toBe(0);
      insights.putPackage(packageOf('decoy', [versionOf('4.2.1', 10)]));
      insights.putPackage(
        packageOf(NAME, [
          ...OLD,
          versionOf('1.4.0', 9, { attestations: [], dependencies: { decoy: '^4.2.1' } }),
        ]),
      );
      await scan(room, 'one', lockfile('1.4.0'));
      expect(inbox()).toEqual(['one opened suspicious critical']);
      const delivery = world.services.receiver.deliveries().at(-1)?.body ?? '';
      expect(delivery).toContain('requires decoy, which was first published');
      expect(delivery).toContain('has no provenance, and 1.3.0 had');
      const after = insights.stats().requests;
      // The second target that locks it is judged with what is known.
      await scan(room, 'two', lockfile('1.4.0'));
      expect(inbox()).toEqual(['two opened suspicious critical']);
      expect(insights.stats().requests.get('insights.getPackage')).toBe(after.get('insights.getPackage'));
      expect(insights.stats().requests.get('insights.getRequirements')).toBe(2);
      await scan(room, 'one', lockfile('1.3.0'));
      expect(inbox()).toEqual(['one resolved suspicious critical']);
    });
  });

  it('is no finding when it is only fresh, and is judged again when it is no longer alone', async () => {
    await withRoom(async (world, room) => {
      const { insights } = world.services;
      const inbox = createInbox(world, 'signals');
      insights.putPackage(packageOf(NAME, [...OLD, versionOf('2.0.0', 1_000)]));
      await scan(room, 'one', lockfile('1.3.0'));
      const fresh = versionOf('1.3.1', 1);
      insights.putPackage(packageOf(NAME, [...OLD, versionOf('2.0.0', 1_000), fresh]));
      await scan(room, 'one', lockfile('1.3.1'));
      expect(inbox()).toEqual([]);
      const state = await room.store.targets.read('one');
      expect(state?.findings).toEqual([]);
      // Minutes later, versions of two lines appear: all are one burst.
      const siblings = ['2.0.1', '1.3.2', '2.0.2'].map((version) => versionOf(version, 0.9));
      insights.putPackage(packageOf(NAME, [...OLD, versionOf('2.0.0', 1_000), fresh, ...siblings]));
      for (const job of inspectionsDue([{ system: 'NPM', name: NAME, version: '1.3.1' }], new Date())) {
        await enqueue(room, job);
      }
      await idle(room);
      expect(inbox()).toEqual(['one opened suspicious high']);
    });
  });

  it('is a gap where the facts cannot be had, and delays no alert about an advisory', async () => {
    await withRoom(async (world, room) => {
      const { insights } = world.services;
      const inbox = createInbox(world, 'signals');
      insights.putPackage(packageOf(NAME, OLD));
      await scan(room, 'one', lockfile('1.3.0'));
      insights.putPackage(packageOf(NAME, [...OLD, versionOf('1.4.0', 9)]));
      insights.learnAdvisory({
        id: 'GHSA-sign-als0-0001',
        title: 'Invented',
        aliases: [],
        score: 9.8,
        affected: [{ system: 'NPM', name: NAME, range: '1.4.0' }],
        heldBack: false,
      });
      insights.faults.inject(
        { kind: 'answer', status: 403, body: 'refused' },
        { times: 100, when: ({ url }) => url.includes(':requirements') },
      );
      await scan(room, 'one', lockfile('1.4.0'));
      expect(inbox()).toEqual(['one opened vulnerability critical']);
      const [inspection] = await room.store.inspections.read([`NPM:${NAME}@1.4.0`]);
      expect(inspection?.unknown.map(({ fact }) => fact)).toContain('requirements');
    });
  });

  it('alerts when the index itself calls it malicious; a service without findings resolves nothing', async () => {
    await withRoom(async (world, room) => {
      const { insights } = world.services;
      const inbox = createInbox(world, 'signals');
      insights.putPackage(packageOf(NAME, OLD));
      await scan(room, 'one', lockfile('1.3.0'));
      const findings = [{ type: 'MALICIOUS', risk: 'RISK_CRITICAL' }];
      const bad = versionOf('1.4.0', 900, { findings });
      insights.putPackage(packageOf(NAME, [...OLD, bad]));
      await scan(room, 'one', lockfile('1.4.0'));
      expect(inbox()).toEqual(['one opened suspicious critical']);
      expect(world.services.receiver.deliveries().at(-1)?.body).toContain('MALICIOUS (RISK_CRITICAL)');
      const again = async () => {
        const key = { system: 'NPM', name: NAME, version: '1.4.0' } as const;
        for (const job of inspectionsDue([key], new Date())) await enqueue(room, job);
        await idle(room);
      };
      await again();
      let asked = 0;
      const when = ({ url }: { readonly url: string }) => {
        if (!url.endsWith('findingsbatch')) return false;
        asked += 1;
        return true;
      };
      insights.faults.inject({ kind: 'answer', status: 404 }, { every: 1, when });
      await again();
      await refresh(room);
      insights.faults.clear();
      expect(asked).toBeGreaterThan(0);
      expect(inbox()).toEqual([]);
      expect((await room.store.targets.read('one'))?.findings).toMatchObject([{ status: 'open' }]);
    });
  });

  it('alerts when a lockfile states the digest of another version', async () => {
    await withRoom(async (world, room) => {
      const { insights } = world.services;
      const inbox = createInbox(world, 'signals');
      const digest = (letter: string) => `sha512-${Buffer.alloc(64, letter).toString('base64')}`;
      const versions = OLD.map((one, index) => ({ ...one, integrity: digest('ab'[index] ?? '') }));
      insights.putPackage(packageOf(NAME, versions));
      await scan(room, 'one', lockfile('1.3.0', { integrity: digest('b') }));
      await scan(room, 'two', lockfile('1.3.0', { integrity: digest('b') }));
      // The same version, with the tarball of another one.
      await scan(room, 'one', lockfile('1.3.0', { integrity: digest('a') }));
      expect(inbox()).toEqual(['one opened suspicious high']);
      await refresh(room);
      await scan(room, 'two', lockfile('1.3.0', { integrity: digest('b') }));
      expect(inbox()).toEqual([]);
      // The lockfile is repaired.
      await scan(room, 'one', lockfile('1.3.0', { integrity: digest('b') }));
      expect(inbox()).toEqual(['one resolved suspicious high']);
    });
  });
});
