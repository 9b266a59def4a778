import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { REPORTS } from '../../../src/report/catalog.ts';
import { AT, npmFile, tracked } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(() => cli.close());
beforeEach(async () => {
  fleet = await cli.fresh();
});

describe('reports of what is stored', () => {
  const later = '2026-02-10T06:00:00Z';
  const files = (name: string) => [npmFile('web/package-lock.json', ['shop@1.0.0', `${name}@1.0.0`])];
  const at = (name: string) => ({
    fingerprint: name,
    locations: [{ path: 'web/package-lock.json', line: 2, dependencyPath: ['shop@1.0.0', `${name}@1.0.0`] }],
  });

  it('have the findings of one target, or of several with its id before each path', async () => {
    const flawed = tracked('a', 'flawed@1.0.0', 'high', { finding: at('flawed') });
    await fleet.save('org/a', files('flawed'), { findings: [flawed] });
    await fleet.save('org/b', files('flawed'), { findings: [flawed] });
    const paths = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { code, out } = await lockhound(['findings', '--format', 'sarif', ...args]);
      expect(code).toBe(0);
      return JSON.parse(out).runs[0].results.map(
        (one: { locations: { physicalLocation: { artifactLocation: { uri: string } } }[] }) =>
          one.locations[0]?.physicalLocation.artifactLocation.uri,
      );
    };
    expect(await paths('--target', 'org/a')).toEqual(['web/package-lock.json']);
    expect(await paths()).toEqual(['org/a/web/package-lock.json', 'org/b/web/package-lock.json']);
    const bom = JSON.parse((await lockhound(['findings', '--format', 'cyclonedx'])).out);
    expect(bom.vulnerabilities[0].affects[0].ref).toBe('pkg:npm/flawed@1.0.0');
    expect(bom.metadata.component.name).toBe('fleet');
    const { out } = await lockhound(['findings', '--format', 'ndjson', '--limit', '1']);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ target: 'org/a', finding: { severity: 'high' } }]);
  });

  it('say that what is known is out of date, or not judged any more', async () => {
    await fleet.save('a', files('fine'));
    await fleet.save('a@release:1', files('fine'), {
      release: { digest: 'd', supportedUntil: '2020-01-01' },
    });
    const reported = async (target: string) => {
      const report = JSON.parse((await lockhound(['targets', 'report', target, '--json'])).out);
      return { complete: report.complete, gaps: report.gaps.map(({ kind }: { kind: string }) => kind) };
    };
    // No answer of the service is stored.
    expect(await reported('a')).toEqual({ complete: false, gaps: ['package', 'package', 'service'] });
    expect((await reported('a@release:1')).gaps).toContain('source');
    expect((await lockhound(['targets', 'report', 'a'])).out).toContain(
      'some facts about packages of a are older',
    );
  });

  it('say how many findings they leave out, and where these are', async () => {
    const tracks = (target: string, length: number) =>
      Array.from({ length }, (_, index) =>
        tracked(target, 'flawed@1.0.0', 'low', {
          finding: { fingerprint: `f${index}`, title: 'x', locations: [] },
        }),
      );
    await fleet.save('a', files('flawed'), { findings: tracks('a', 1_003) });
    await fleet.save('b', files('flawed'), { findings: tracks('b', 49_000) });
    // What the other formats say of such a gap is in `test/report/formats.test.ts`.
    const { out: csv } = await lockhound(['findings', '--format', 'csv']);
    expect(csv).toContain('3 more, the least severe ones, are left out');
    const shown = JSON.parse((await lockhound(['targets', 'get', 'a', '--json'])).out);
    expect([shown.findings.length, shown.omitted]).toEqual([1_000, 3]);
    const { out } = await lockhound(['targets', 'get', 'a']);
    expect(out).toMatch(/omitted +3\nfurther findings \(see --json\) +950\n/);
  });

  it('compare a target with what it was, in every format at once', async () => {
    const findings = [
      tracked('a', 'kept@1.0.0', 'low', { finding: at('kept') }),
      tracked('a', 'fresh@1.0.0', 'high', { openedAt: later, changedAt: later, finding: at('fresh') }),
      tracked('a', 'worse@1.0.0', 'high', { changedAt: later, finding: at('worse') }),
      tracked('a', 'gone@1.0.0', 'high', { status: 'resolved', changedAt: later, finding: at('gone') }),
      tracked('a', 'long-gone@1.0.0', 'high', { status: 'resolved', finding: at('long-gone') }),
      tracked('a', 'brief@1.0.0', 'low', {
        status: 'resolved',
        openedAt: later,
        changedAt: later,
        finding: at('brief'),
      }),
    ];
    await fleet.save('a', files('fresh'), { findings });
    const folder = mkdtempSync(join(tmpdir(), 'changes-'));
    const formats = REPORTS.map(({ name }) => name);
    const written = formats.flatMap((name) => ['--report', `${name}=${join(folder, name)}`]);
    const since = ['targets', 'report', 'a', '--since', '2026-02-01'];
    const { code, out } = await lockhound([...since, ...written]);
    expect(code).toBe(0);
    expect(out).toContain('Since 2026-02-01T00:00:00.000Z: 2 new findings, 1 gone, 1 unchanged');
    const texts = formats.map((name) => readFileSync(join(folder, name), 'utf8'));
    rmSync(folder, { recursive: true });
    for (const [index, text] of texts.entries()) {
      expect([
        formats[index],
        text.includes('fresh'),
        text.includes('GHSA-gone'),
        text.includes('GHSA-long-gone'),
      ]).toEqual([formats[index], true, true, false]);
    }
    const { comparison } = JSON.parse((await lockhound([...since, '--json'])).out);
    expect(comparison.introduced).toEqual(['fresh', 'worse']);
    const newest = (await lockhound(['targets', 'report', 'a', '--since', 'last-change'])).out;
    expect(newest).toContain(`Since ${new Date(AT).toISOString()}: 3 new findings, 0 gone, 0 unchanged`);
    const plain = JSON.parse((await lockhound(['targets', 'report', 'a', '--json'])).out);
    expect(plain.comparison).toBeUndefined();
    expect(plain.findings).toHaveLength(3);
    expect((await lockhound(['targets', 'report', 'x'])).note).toContain('there is no target x');
  });
});
