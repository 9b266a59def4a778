import { expect, it } from 'vitest';
import { openLocalIndex } from '../../../src/embedded/insights/local-index.ts';
import { scriptSubject } from '../../../src/jobs/payloads/inspect-packages.ts';
import { inspect } from '../../../src/jobs/signals/inspect.ts';
import { createMemoryInspections } from '../../../src/jobs/signals/inspect-now.ts';
import { inspectPackages } from '../../../src/jobs/signals/inspect-packages.ts';
import type { StoredInspection } from '../../../src/model/ports/shared-state.ts';
import { insightsOver } from '../../incidents/replay.ts';
import { POLICY } from '../../policy/facts.ts';

const AT = Date.parse('2026-05-11T20:00:00Z');

/** What is stored of a version that runs a script, and whether its script counts as usual. */
async function inspected(publishedAt: string | undefined) {
  const key = { system: 'NPM' as const, name: 'acme', version: '1.0.0' };
  const version = { version: '1.0.0', ...(publishedAt === undefined ? {} : { publishedAt }) };
  const index = await openLocalIndex({
    data: {
      packages: [{ system: 'NPM', name: 'acme', default: '1.0.0', versions: [version] }],
      advisories: [],
    },
  });
  const stored: StoredInspection[] = [];
  const memory = createMemoryInspections();
  const inspections = {
    ...memory,
    mode: 'before-judging' as const,
    store: async (entries: readonly StoredInspection[]) => void stored.push(...entries),
  };
  const ports = {
    inspections,
    insights: await insightsOver(index),
    policy: { policy: () => POLICY, suppressions: async () => [] },
    fleet: { affectedTargets: async () => [] },
  };
  const payload = {
    ...{ inspection: 'i', part: 0, requestedAt: new Date(AT).toISOString(), witnesses: [] },
    packages: [{ ...key, script: 'new' as const }],
  };
  const attempt = {
    signal: AbortSignal.timeout(60_000),
    lastAttempt: true,
    progress: () => {},
    startedAt: AT,
  };
  await inspect(payload, ports, attempt);
  const [isUsual] = await memory.isKnown([scriptSubject(key, 'script')]);
  return { againAt: stored[0]?.againAt, isUsual };
}

it('a version without a date is no old one: it is inspected again, and its script is no usual one', async () => {
  expect(await inspected(undefined)).toEqual({ againAt: AT, isUsual: false });
  expect(await inspected('2020-01-01T00:00:00Z')).toEqual({ againAt: undefined, isUsual: true });
});

it('an inspection lets scans pass for two seconds, and then runs beside them', async () => {
  const attempt = {
    signal: AbortSignal.timeout(60_000),
    lastAttempt: true,
    stalled: false,
    progress: () => {},
  };
  const ports = {
    inspections: { ...createMemoryInspections(), mode: 'apart' as const },
    insights: await insightsOver(await openLocalIndex({ data: { packages: [], advisories: [] } })),
    policy: { policy: () => POLICY, suppressions: async () => [] },
    fleet: { affectedTargets: async () => [], waitingScans: async () => 3 },
  } as unknown as Parameters<typeof inspectPackages.run>[1];
  const requestedAt = new Date(AT).toISOString();
  const payload = { inspection: 'i', part: 0, requestedAt, packages: [], witnesses: [] };
  const run = (startedAt: number) => inspectPackages.run(payload, ports, { ...attempt, startedAt });
  await expect(run(AT + 2_000)).rejects.toMatchObject({ code: 'others-first' });
  expect(await run(AT + 2_001)).toMatchObject({ result: { inspected: 0 } });
});
