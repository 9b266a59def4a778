import { expect, it } from 'vitest';
import { judgeTarget } from '../../../src/jobs/refresh/judge-target.ts';
import type { RouteMatch } from '../../../src/model/alert/routing.ts';
import type { TargetChange } from '../../../src/model/queue/outcome.ts';
import type { TargetState } from '../../../src/model/scan/change.ts';
import { context, locked, ports, unexpected } from '../facts.ts';

const STARTED = new Date(context().startedAt).toISOString();

function stateOf(revision: number, inventory: string): TargetState {
  return {
    revision,
    scan: `scan-${revision}`,
    requestedAt: STARTED,
    findings: [],
    lockfiles: [{ path: 'package-lock.json', sha256: 'a'.repeat(64), inventory }],
  };
}

async function judgeWith(states: TargetState[]) {
  const found = { ...locked('below'), integrity: [], source: { kind: 'registry' as const } };
  const vanished = { outcome: 'missing' as const, reason: 'gone', seenBefore: true };
  const given = ports({ insights: { resolve: async () => ({ resolutions: [vanished] }) as never } });
  return await judgeTarget.run(
    { selection: 's', round: 0, requestedAt: STARTED, target: 'team/web' },
    {
      ...given,
      targets: { read: async () => states.shift() },
      fleet: {
        ...given.fleet,
        summary: async () => ({
          ...{ labels: {}, lockfiles: [], packages: 1, open: {}, openByRule: {} },
          requestedAt: STARTED,
        }),
        inventory: async () => ({
          format: 'npm-package-lock',
          problems: [],
          packages: [{ locked: found }],
        }),
      },
    },
    context(),
  );
}

it('names the state whose lockfiles it judged, also when a scan replaces that state meanwhile', async () => {
  const run = await judgeWith([stateOf(5, 'vulnerable'), stateOf(6, 'sound')]);
  expect(run.result?.changes.map(({ transition }) => transition)).toEqual(['opened']);
  expect(run.state).toMatchObject({ replaces: 5 });
});

it('gives verdicts on two states two ids, so that no delivery of the second counts as sent', async () => {
  const first = await judgeWith([stateOf(5, 'vulnerable')]);
  const again = await judgeWith([stateOf(5, 'vulnerable')]);
  const second = await judgeWith([stateOf(6, 'vulnerable')]);
  expect(again.result?.scan).toBe(first.result?.scan);
  expect(second.result?.scan).not.toBe(first.result?.scan);
});

it('looks up advice for what it finds new, unless a route waits for fixes', async () => {
  const affected = new Set(['below']);
  const judge = async (state: TargetState, match: RouteMatch = {}) => {
    const packages = ['below', 'above'].map((name) => ({
      locked: { ...locked(name), integrity: [], source: { kind: 'registry' as const } },
    }));
    const given = ports({
      state,
      insights: {
        resolve: async (asked: readonly { readonly name: string; readonly version: string }[]) =>
          ({
            resolutions: asked.map(({ name, version }) => ({
              outcome: 'resolved',
              record: {
                ...{ versionKey: { system: 'NPM', name, version }, isDefault: true, isDeprecated: false },
                ...{ licenses: [], advisoryIds: affected.has(name) ? [`A-${name}`] : [] },
              },
            })),
          }) as never,
        dependencies: async () => undefined,
        advisory: async (id: string) => ({ id, url: '', title: id, aliases: [], score: 9 }) as never,
      },
      knownFixes: {
        ...{ mode: 'apart', read: async (keys) => keys.map(() => undefined), learn: unexpected },
        unasked: (_, all) => all,
      },
      fleet: {
        summary: async () => ({
          ...{ labels: {}, lockfiles: [], packages: 2, open: {}, openByRule: {}, requestedAt: STARTED },
        }),
        inventory: async () => ({ format: 'npm-package-lock', problems: [], packages }),
      },
    });
    const rules = [{ name: 'r', mode: 'digest' as const, match, rest: false }];
    const routing = { routing: () => ({ take: 'all' as const, firstScan: 'all' as const, rules }) };
    const run = await judgeTarget.run(
      { selection: 's', round: 0, requestedAt: STARTED, target: 'team/web' },
      { ...given, routing },
      context(),
    );
    const asked = run.next.flatMap(({ job, payload }) =>
      job === 'advise-upgrades' ? (payload as { packages: { key: { name: string } }[] }).packages : [],
    );
    return { state: (run.state as TargetChange).state, asked: asked.map(({ key }) => key.name).sort() };
  };
  const first = await judge(stateOf(1, 'i'));
  expect(first.asked).toEqual(['below']);
  affected.add('above');
  expect((await judge(first.state)).asked).toEqual(['above']);
  expect((await judge(first.state, { fixable: true })).asked).toEqual(['above', 'below']);
});
