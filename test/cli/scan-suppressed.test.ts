import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlert } from '../../src/model/scan/is-alert.ts';
import { LOCKFILE as FIXTURE } from '../pipeline/fixtures.ts';
import { lockhound } from './lockhound.ts';

/** All its versions are in the bundled data. */
const LOCKFILE = FIXTURE.replaceAll('0.5.5', '0.5.6');

const folder = mkdtempSync(join(tmpdir(), 'cli-suppressed-'));
const config = join(folder, 'lockhound.yaml');
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'package-lock.json'), LOCKFILE);

async function scan(suppressions: readonly object[], ...options: readonly string[]) {
  writeFileSync(config, JSON.stringify({ suppressions }));
  const all = ['scan', '--local', '--json', '--target', 'shop', '--config', config, ...options, folder];
  const { code, out, note } = await lockhound(all);
  const read = out === '' ? undefined : JSON.parse(out);
  const findings: readonly { readonly suppressed?: { readonly by: string } }[] = read?.findings ?? [];
  return { code, note, read, by: findings.map(({ suppressed }) => suppressed?.by) };
}

describe('scan with suppressions', () => {
  it('of everything does not fail, and lists all with the reason', async () => {
    const { code, read, by } = await scan([{ reason: 'a demo', target: 'sh*', all: true }]);
    expect(code).toBe(0);
    expect(by.length).toBeGreaterThan(1);
    expect(new Set(by)).toEqual(new Set(['suppressions[0]']));
    expect(read.counts).toMatchObject({ suppressed: by.length, severities: { critical: 0, high: 0 } });
  });

  it('of some fails because of the others, and reports what has no effect', async () => {
    const { code, by, read } = await scan([
      { reason: 'other', target: 'other', rule: 'vulnerability', all: true },
      { reason: 'no such package', package: 'pkg:npm/none@<2' },
      { reason: 'not reachable', package: 'pkg:npm/lodash@<4.17.21', advisory: 'CVE-2021-23337' },
    ]);
    expect(code).toBe(1);
    expect(by.filter((one) => one !== undefined)).toEqual(['suppressions[2]']);
    expect(by.indexOf('suppressions[2]')).toBe(by.length - 1);
    expect(read.unusedSuppressions).toEqual([{ id: 'suppressions[1]', reason: 'matches no finding' }]);
  });

  it('that are not valid is an error that names each', async () => {
    const { code, note } = await scan([{ reason: 'x', target: 'shop' }, { rule: 'deprecated' }]);
    expect(code).toBe(2);
    expect(note).toContain(
      'suppressions.0: would hide every finding in its scope: state a package or an advisory',
    );
    expect(note).toContain('suppressions.1.reason');
  });
});

describe('scan with a `.lockhound.yaml` beside the lockfile', () => {
  const own = join(folder, 'own');
  mkdirSync(own);
  writeFileSync(join(own, 'package-lock.json'), LOCKFILE);

  async function scanOwn(text: string, policy: object = {}) {
    writeFileSync(join(own, '.lockhound.yaml'), text);
    writeFileSync(config, JSON.stringify({ policy }));
    const { code, out } = await lockhound(['scan', '--local', '--json', '--config', config, own]);
    const { findings, gaps, unusedSuppressions } = JSON.parse(out);
    const open = findings.filter(isAlert);
    return { code, open, gaps, unusedSuppressions };
  }

  const ALL =
    'suppressions: [{ reason: a demo, rule: vulnerability, all: true }, { reason: x, rule: deprecated, all: true }]';

  it('suppresses up to the severity that the configuration allows', async () => {
    expect(await scanOwn(ALL, { targetSuppressions: 'critical' })).toMatchObject({ code: 0, open: [] });
    const limited = await scanOwn(ALL, { targetSuppressions: 'low' });
    expect(limited.code).toBe(1);
    expect(limited.open.length).toBeGreaterThan(0);
    const off = await scanOwn(ALL, { targetSuppressions: 'off' });
    expect(off.unusedSuppressions[0]).toEqual({
      id: '.lockhound.yaml suppressions[0]',
      reason: 'targets may not suppress findings (policy.targetSuppressions)',
    });
  });

  it('that cannot be read suppresses nothing and is a gap', async () => {
    const { open, gaps } = await scanOwn('suppressions: [{ reason: x }]');
    expect(open.length).toBeGreaterThan(0);
    expect(gaps).toMatchObject([
      { kind: 'detail', reason: expect.stringContaining('.lockhound.yaml: suppressions[0]') },
    ]);
    rmSync(join(own, '.lockhound.yaml'));
    execFileSync('mkfifo', [join(own, '.lockhound.yaml')]);
    const { out } = await lockhound(['scan', '--local', '--json', own]);
    expect(JSON.parse(out).gaps).toMatchObject([{ reason: expect.stringContaining('is a named pipe') }]);
  });
});

describe('scan with filters', () => {
  const filtered = (...options: readonly string[]) =>
    lockhound(['scan', '--local', '--json', ...options, join(folder, 'package-lock.json')]);

  it('leaves out what does not fit, and says how much', async () => {
    const all = JSON.parse((await filtered()).out).findings;
    const { out, note } = await filtered('--direct', '--severity', 'high');
    const { findings, counts } = JSON.parse(out);
    expect(findings.length).toBeLessThan(all.length);
    expect(findings.every((one: { package: { direct: boolean } }) => one.package.direct)).toBe(true);
    expect(note).toContain(`Filters leave out ${all.length - findings.length} of ${all.length} findings.`);
    expect(counts.severities.medium).toBe(0);
    expect(await filtered('--ecosystem', 'pypi')).toMatchObject({ code: 0 });
    expect(await filtered('--direct', '--baseline', 'x.json')).toMatchObject({ code: 2 });
    const none = await lockhound([
      'scan',
      '--local',
      '--ecosystem',
      'pypi',
      join(folder, 'package-lock.json'),
    ]);
    expect(none.out).toMatch(/No findings fit the filters: \d+ others in \d+ packages/);
  });
});

describe('scan of a folder with CODEOWNERS', () => {
  it('names the owners of each lockfile, also from git', async () => {
    const root = join(folder, 'owned');
    mkdirSync(join(root, '.github'), { recursive: true });
    mkdirSync(join(root, 'web/app'), { recursive: true });
    writeFileSync(join(root, '.github/CODEOWNERS'), '* @acme/all\n/web/ @acme/web\n');
    writeFileSync(join(root, 'CODEOWNERS'), '* @acme/other\n');
    writeFileSync(join(root, 'web/app/package-lock.json'), LOCKFILE);
    const owners = async (...args: string[]) => {
      const { out } = await lockhound(['scan', '--local', '--json', ...args]);
      const { findings } = JSON.parse(out) as { findings: { owners?: string[] }[] };
      return new Set(findings.flatMap((one) => one.owners ?? 'nobody'));
    };
    expect(await owners(root)).toEqual(new Set(['@acme/web']));
    expect(await owners(join(root, 'web'))).toEqual(new Set(['nobody']));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: root });
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '--message=empty');
    git('add', '.');
    git('commit', '--quiet', '--message=all');
    expect(await owners('--since', 'HEAD~1..HEAD', root)).toEqual(new Set(['@acme/web']));
    const { out } = await lockhound(['scan', '--local', '--verbose', root]);
    expect(out).toContain('owned by @acme/web');
  });
});
