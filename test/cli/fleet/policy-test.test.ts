import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { npmFile } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'policy-'));
const file = join(folder, 'policy.yaml');
let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  vi.stubEnv('LOCKHOUND_DATA_FOLDER', folder);
  vi.stubEnv('LOCKHOUND_INSIGHTS_SOURCES', 'osv');
  const records = [
    // Known while the first target held it, known before, and without a date.
    { id: 'MAL-1', published: '2026-03-01T00:00:00Z', name: 'a' },
    { id: 'GHSA-2', published: '2025-01-01T00:00:00Z', name: 'b' },
    { id: 'GHSA-3', name: 'c' },
  ].map(({ name, ...one }) => ({
    ...{ ...one, modified: '2026-05-01T00:00:00Z', summary: 'Invented' },
    affected: [{ package: { ecosystem: 'npm', name }, versions: ['1.0.0'] }],
  }));
  writeFileSync(join(folder, 'records.json'), JSON.stringify(records));
  cli = await openFleetCli();
  const { code } = await lockhound(['data', 'import', 'osv', join(folder, 'records.json')]);
  expect(code).toBe(0);
});
afterAll(async () => {
  await cli.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  fleet = await cli.fresh();
  const save = (target: string, time: string, ...ids: readonly string[]) =>
    fleet.save(target, [npmFile('package-lock.json', ids)], {
      labels: { team: target },
      ledger: { requestedAt: `2026-${time}T00:00:00Z` },
    });
  await save('web', '01-01', 'a@1.0.0', 'c@1.0.0');
  await save('web', '04-01', 'a@2.0.0', 'b@1.0.0', 'c@1.0.0');
  await save('web', '05-01', 'a@2.0.0', 'b@1.0.0', 'c@1.0.0', 'd@1.0.0');
  await save('late', '04-01', 'a@1.0.0');
});

async function test(text: string, ...args: readonly string[]) {
  writeFileSync(file, text);
  const time = ['--since', '2026-02-01T00:00Z', '--until', '2026-06-01T00:00Z'];
  const { code, out, note } = await lockhound(['policy', 'test', file, ...time, '--json', ...args]);
  return { code, note, answer: out === '' ? undefined : JSON.parse(out) };
}

const WEBHOOK = 'webhook: { url: "https://example.com/hook", mode: change }';

describe('lockhound policy test', () => {
  it('counts what would have been sent since advisories were known, and names what is not known', async () => {
    const { code, answer } = await test(`notify: { firstScan: all, ${WEBHOOK} }`);
    expect(code).toBe(0);
    expect(answer).toMatchObject({ targets: 2, notKnown: 1, packages: 5, packagesNotKnown: 0 });
    expect(answer).toMatchObject({ advisories: 2, datedByAlert: 0, undated: ['GHSA-3'], undatedCount: 1 });
    // In web: MAL-1 opened when it appeared, and was resolved by the scan that opened GHSA-2. In late: opened.
    expect(answer.tested).toMatchObject({
      ...{ alerts: 4, changes: 4, failing: { critical: 2, unrated: 1 } },
      routes: [{ route: 'default', mode: 'change', alerts: 4, changes: 4 }],
      ...{ missed: [], hoursUntold: 0 },
    });
    // Without routes, nobody is told.
    expect(answer.current).toMatchObject({ alerts: 0, routes: [], missedCount: 2 });
    expect(answer.current.missed).toEqual([
      {
        ...{ target: 'late', purl: 'pkg:npm/a@1.0.0', advisory: 'MAL-1', why: 'malware' },
        ...{ from: '2026-04-01T00:00:00.000Z', hours: 61 * 24 },
      },
      {
        ...{ target: 'web', purl: 'pkg:npm/a@1.0.0', advisory: 'MAL-1', why: 'malware' },
        ...{ from: '2026-03-01T00:00:00.000Z', until: '2026-04-01T00:00:00.000Z', hours: 31 * 24 },
      },
    ]);
    expect(answer.current.hoursUntold).toBe(92 * 24);
  });

  it('follows rules, labels, severities and suppressions of the policy', async () => {
    const alerts = async (text: string, ...args: readonly string[]) =>
      (await test(`notify: { firstScan: all, ${WEBHOOK} }\n${text}`, ...args)).answer.tested.alerts;
    expect(await alerts('policy: { rules: { vulnerability: { level: note } } }')).toBe(0);
    expect(await alerts('policy: {}', '--label', 'team=web')).toBe(3);
    expect(await alerts('suppressions: [{ advisory: GHSA-2, reason: unused }]')).toBe(3);
    // It opens again when its suppression ends.
    const ending = 'suppressions: [{ advisory: GHSA-2, reason: unused, expires: "2026-05-10" }]';
    expect(await alerts(ending)).toBe(4);
    const severe = await test(
      'notify: { firstScan: all, minSeverity: critical, webhook: { url: "https://a.example" } }',
    );
    expect(severe.answer.tested).toMatchObject({ alerts: 3, changes: 3 });
    const { answer } = await test(`notify: { ${WEBHOOK} }\npolicy: { developmentStep: 1 }`, '--by', 'team');
    expect(answer.notReplayed).toContain('policy.developmentStep');
    expect(answer.tested.routes.map(({ label }: { label: string }) => label)).toEqual(['late', 'web']);
  });

  it('refuses what is no policy, and times that are none', async () => {
    expect((await test('polcy: {}')).note).toContain('has none of policy, notify');
    expect((await test('policy: { rules: { vulnerabilty: { level: off } } }')).note).toContain(
      'vulnerabilty',
    );
    expect((await test('policy: [')).code).toBe(2);
    expect((await test('a: &a [*a, *a]')).code).toBe(2);
    const none = await lockhound(['policy', 'test', join(folder, 'none.yaml')]);
    expect(none.code).toBe(2);
    writeFileSync(file, 'policy: {}');
    const turned = await lockhound(['policy', 'test', file, '--since', '1d', '--until', '2d']);
    expect(turned.note).toContain('later than');
    const shown = await lockhound(['policy', 'test', file]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/undated/i) });
  });
});
