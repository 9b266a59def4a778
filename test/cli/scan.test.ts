import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('mixed/package-lock.json', LOCKFILE);
  write('known/package-lock.json', LOCKFILE.replaceAll('0.5.5', '0.5.6'));
  write('mixed/broken/package-lock.json', '{"lockfileVersion": 3, "packages": {');
  write('mixed/node_modules/x/package-lock.json', LOCKFILE);
  write('mixed/ignored/package-lock.json', LOCKFILE);
  write('mixed/.gitignore', 'ignored/\n');
  write('broken/package-lock.json', '');
  write(
    'clean/package-lock.json',
    '{"lockfileVersion": 3, "packages": {"": {}, "node_modules/ms": {"version": "2.1.2"}}}',
  );
  mkdirSync(join(folder, 'empty'));
  write('notes.txt', 'nothing locked here');
});

const PACKAGE_RESOLVED = JSON.stringify({
  version: 2,
  pins: [
    {
      identity: 'a',
      kind: 'remoteSourceControl',
      location: 'https://git.example/o/a.git',
      state: { revision: '0123456789abcdef0123456789abcdef01234567', version: '1.0.0' },
    },
  ],
});
const NO_FORMAT =
  /--as: no format is named "npm" \(`lockhound parse --formats` lists all formats\) \[unknown-format\]/;
const NO_OUTPUT =
  /--format <name>.*Allowed choices are table, json.*\. Use --as to set the format of a lockfile\./;
const ENQUEUE = ['enqueue', '.', '-t', 'x'];

describe('lockhound scan', () => {
  it('lists manifests without a lockfile as gaps that change no exit code, and names them where there is no lockfile', async () => {
    const root = join(folder, 'unlocked');
    mkdirSync(join(root, 'api'), { recursive: true });
    cpSync(join(folder, 'clean/package-lock.json'), join(root, 'web/package-lock.json'));
    writeFileSync(join(root, 'api/package.json'), '{"dependencies": {"lodash": "^4"}}');
    writeFileSync(join(root, 'Cargo.toml'), '[package]\nname = "a"\n');
    const { code, out } = await lockhound(['scan', '--local', '--json', root]);
    const { gaps } = JSON.parse(out);
    expect(gaps.filter(({ kind }: { kind: string }) => kind === 'manifest')).toEqual([
      { kind: 'manifest', subject: 'api/package.json', reason: expect.stringContaining('not looked up') },
    ]);
    expect(code).toBe(0);
    const none = await lockhound(['scan', '--local', join(root, 'api')]);
    expect([none.code, none.note]).toEqual([
      2,
      expect.stringMatching(/package\.json: no lockfile belongs to it/),
    ]);
  });

  it('reports findings and unread files, and skips ignored folders', async () => {
    const { code, out, note } = await lockhound(['scan', '--local', join(folder, 'mixed')]);
    expect(code).toBe(1);
    expect(note).toBe('');
    expect(out).toMatch(/lodash 4\.17\.20 → [\d.]+ +GHSA-35jh-r3h4-6jhm {2}direct/);
    expect(out).toMatch(/minimist 1\.2\.5 → [\d.]+ +GHSA-xvch-5gv4-984h {2}via mk/);
    expect(out).toMatch(/broken\/package-lock\.json {2}not read: 1.*not valid JSON/);
    expect(out).not.toContain('ignored');
    expect(out).not.toContain('node_modules');
  });

  it('reads the usual names of ecosystems, and refuses others', async () => {
    const scanned = async (name: string) =>
      await lockhound(['scan', '--local', '--no-advice', '--ecosystem', name, join(folder, 'known')]);
    expect((await scanned('node,go')).out).toContain('GHSA-35jh-r3h4-6jhm');
    const { code, note } = await scanned('npm,pypy');
    expect(code).toBe(2);
    expect(note).toContain('"pypy" is not an ecosystem of findings; there are npm, pypi');
  });

  it('continues when a folder, a lockfile and a companion cannot be read', async () => {
    const odd = join(folder, 'odd');
    cpSync(join(folder, 'clean'), odd, { recursive: true });
    mkdirSync(Buffer.concat([Buffer.from(join(odd, 'non')), Buffer.of(0xff), Buffer.from('utf')]));
    symlinkSync('/dev/zero', join(odd, 'go.sum'));
    execFileSync('mkfifo', [join(odd, 'package.json')]);
    const { code, out } = await lockhound(['scan', '--local', '--json', odd]);
    expect(code).toBe(2);
    const { unread, gaps, counts } = JSON.parse(out);
    expect(counts).toMatchObject({ lockfiles: 1, packages: 1 });
    expect(unread).toMatchObject([
      { path: 'go.sum', error: { code: 'not-a-file' } },
      { path: 'non\ufffdutf/', error: { code: 'unreadable' } },
    ]);
    const message = `${join(odd, 'package.json')}: is a named pipe; only regular files are read`;
    expect(gaps).toContainEqual({ kind: 'entry', subject: 'package-lock.json', reason: message });
  });

  it('--local begins with a warning when the local data covers few packages', async () => {
    const packages = { '': {}, 'node_modules/ms': { version: '2.1.2' } };
    for (let index = 0; index < 20; index += 1) {
      Object.assign(packages, { [`node_modules/not-in-the-data-${index}`]: { version: '1.0.0' } });
    }
    mkdirSync(join(folder, 'uncovered'));
    writeFileSync(
      join(folder, 'uncovered/package-lock.json'),
      JSON.stringify({ lockfileVersion: 3, packages }),
    );
    const { code, out } = await lockhound(['scan', '--local', join(folder, 'uncovered')]);
    expect(code).toBe(2);
    expect(out).toMatch(/^Most of this scan is unknown: 20 of 21 packages are not in the local data set\.\n/);
    expect(out).toContain('21 packages: 1 resolved, 20 uncovered');
    expect(out).toContain('  20 packages not in the local data set (--json lists all)');
    const { out: json } = await lockhound(['scan', '--local', '--json', join(folder, 'uncovered')]);
    const report = JSON.parse(json);
    expect(report.findings).toEqual([]);
    expect(report.counts.outcomes).toMatchObject({ resolved: 1, missing: 0, failed: 0, uncovered: 20 });
    expect(report.gaps).toHaveLength(20);
    expect(report.gaps[0]).toEqual({
      kind: 'coverage',
      subject: 'pkg:npm/not-in-the-data-0@1.0.0',
      reason: 'not in the local data set',
    });
  });

  it('tells with --exit-codes extended what can be fixed', async () => {
    const extended = (name: string, ...more: string[]) =>
      lockhound(['scan', '--local', '--exit-codes', 'extended', ...more, join(folder, name)]);
    const fixable = await extended('mixed');
    expect(fixable.code).toBe(1);
    const kept = await lockhound(['scan', '--local', '--fixable', '--json', join(folder, 'mixed')]);
    for (const { fixes } of JSON.parse(kept.out).findings) expect(fixes[0].changes).not.toEqual([]);
    expect(kept.note).toMatch(/Filters leave out \d of \d findings/);
    expect(fixable.out).toMatch(/lodash 4\.17\.20 → 4\.\d+\.\d+ /);
    expect(fixable.out).toMatch(/`lockhound fix` has the commands that clear \d of 4 findings/);
    expect((await extended('clean')).code).toBe(0);
    expect((await extended('mixed', '--fail-on', 'never')).code).toBe(4);
    const { code, note } = await extended('mixed', '--since', 'main');
    expect(code).toBe(2);
    expect(note).toContain("'--exit-codes <kind>' cannot be used with option '--since <range>'");
  });

  it('does not fail because of notes, such as a version that is not indexed or is deprecated', async () => {
    const notes = join(folder, 'notes');
    mkdirSync(notes);
    // It was taken down, and the bundled data says so.
    const packages = { '': {}, 'node_modules/rc': { version: '2.3.9' } };
    writeFileSync(join(notes, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
    const { code, out } = await lockhound(['scan', '--local', notes]);
    expect(code).toBe(0);
    expect(out).toMatch(/^note +rc 2\.3\.9 +unindexed +rc@2/);
    expect(out).toContain('No findings, because nothing is known of the 1 package (1 missing); 1 note.');
    const config = join(notes, 'lockhound.yaml');
    writeFileSync(config, 'policy: { rules: { unindexed: { level: alert, severity: high } } }\n');
    expect((await lockhound(['scan', '--local', '-c', config, notes])).code).toBe(1);
    expect((await lockhound(['scan', '--local', '-c', config, '--fail-on', 'critical', notes])).code).toBe(0);
  });

  it('is not clean when no source has the ecosystem of any package', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'Package.resolved'), PACKAGE_RESOLVED);
    const { code, out } = await lockhound(['scan', '--local', other]);
    expect(code).toBe(2);
    expect(out).toContain('source swift: 1 of its packages: no source has this ecosystem');
    expect(out).toContain('No findings, because nothing is known of the 1 package (1 unsupported).');
    const scanned = async (...more: string[]) => await lockhound(['scan', '--local', ...more, other]);
    expect((await scanned('--exit-codes', 'extended')).code).toBe(4);
    const [run] = JSON.parse((await scanned('--format', 'sarif')).out).runs;
    expect(run.invocations[0].toolExecutionNotifications).toMatchObject([
      { message: { text: expect.stringContaining('no source has this ecosystem') } },
    ]);
    // Beside packages that were looked up, it is a gap that fails nothing.
    const { code: beside, out: both } = await lockhound(['scan', '--local', other, join(folder, 'clean')]);
    expect(beside).toBe(0);
    expect(both).toContain('no source has this ecosystem');
  });

  it('is an error when the index has none of the packages', async () => {
    const unknown = join(folder, 'unknown');
    mkdirSync(unknown);
    const names = Array.from({ length: 5 }, (_, index) => [
      `node_modules/no-such-${index}`,
      { version: '1.0.0' },
    ]);
    const packages = { '': {}, ...Object.fromEntries(names) };
    writeFileSync(join(unknown, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
    const service = await startInsightsService({ partial: false });
    const config = join(unknown, 'lockhound.yaml');
    writeFileSync(config, JSON.stringify({ insights: { url: service.url } }));
    const { code, note } = await lockhound(['scan', '-c', config, '--no-cache', unknown]);
    expect(code).toBe(2);
    expect(note).toContain('has none of the 5 packages');
    await service.close();
  });

  it('--json gives every package one outcome', async () => {
    const { out } = await lockhound(['scan', '--local', '--json', join(folder, 'mixed')]);
    const report = JSON.parse(out);
    const listed = report.lockfiles.flatMap((file: { packages: { outcome: string }[] }) => file.packages);
    expect(listed.map(({ outcome }: { outcome: string }) => outcome).sort()).toEqual([
      'resolved',
      'resolved',
      'resolved',
      'uncovered',
    ]);
    // The data has other versions of mkdirp, and does not claim to have all.
    expect(report.counts.outcomes).toMatchObject({ resolved: 3, missing: 0, uncovered: 1 });
    expect(report.unread).toMatchObject([{ path: 'broken/package-lock.json', error: { code: 'syntax' } }]);
  });

  it('has exit codes for CI', async () => {
    const clean = join(folder, 'clean');
    expect((await lockhound(['scan', '--local', clean])).code).toBe(0);
    expect((await lockhound(['scan', '--local', join(folder, 'broken')])).code).toBe(2);
    expect(
      (await lockhound(['scan', '--local', '--fail-on', 'never', join(folder, 'known/package-lock.json')]))
        .code,
    ).toBe(0);
    expect((await lockhound(['scan', '--local', '--fail-on', 'critical', join(folder, 'mixed')])).code).toBe(
      1,
    );
  });

  it.each([
    ['a folder without lockfiles', ['scan', join(folder, 'empty')], /no lockfile found/],
    ['a missing path', ['scan', '/nowhere/at/all'], /\/nowhere\/at\/all: no such file.*\[not-found\]/],
    [
      'a file of no format',
      ['scan', join(folder, 'notes.txt')],
      /notes\.txt: .*--formats.*\[unknown-format\]/,
    ],
    ['an unknown command', ['scna'], /Did you mean scan/],
    ['an unknown severity', ['scan', '--fail-on', 'dire', '.'], /Allowed choices are any, critical/],
    ['an input format that there is not', ['scan', folder, '--as', 'npm'], NO_FORMAT],
    ['an input format that there is not, of parse', ['parse', folder, '--as', 'npm'], NO_FORMAT],
    ['an input format given as that of the output', ['scan', '.', '--format', 'npm-package-lock'], NO_OUTPUT],
    ['an output format that there is not, of parse', ['parse', '.', '--format', 'xml'], NO_OUTPUT],
    ['an output format that there is not, of enqueue', [...ENQUEUE, '--format', 'xml'], NO_OUTPUT],
    ['enqueue without Redis', ['enqueue', folder, '-t', 'x'], /redis\.url.*\[config-invalid\]/],
  ])('reports the fault of %s', async (_name, args, message) => {
    const { code, note, out } = await lockhound(args);
    expect(code).toBe(2);
    expect(note).toMatch(message);
    expect(out).toBe('');
  });

  it.each([['--format', 'json'], ['--json']])('prints JSON for %s %s', async (...option) => {
    const scan = await lockhound(['scan', '--local', join(folder, 'clean'), ...option]);
    const report = JSON.parse(scan.out);
    expect(report).toMatchObject({ schema: 'lockhound.scan/1' });
    for (const { packages } of report.lockfiles) {
      expect(packages[0]).toMatchObject({
        integrity: expect.any(Array),
        source: { kind: expect.any(String) },
      });
    }
    const parse = await lockhound(['parse', join(folder, 'clean'), '--as', 'npm-package-lock', ...option]);
    expect(JSON.parse(parse.out)).toMatchObject({ format: 'npm-package-lock' });
  });

  it('writes further reports to files', async () => {
    const [sarif, markdown] = [join(folder, 'out.sarif'), join(folder, 'out.md')];
    const reports = ['--report', `sarif=${sarif}`, '--report', `markdown=${markdown}`];
    const { out } = await lockhound(['scan', '--local', join(folder, 'clean'), ...reports]);
    expect(out).toContain('No findings');
    expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({ version: '2.1.0' });
    expect(readFileSync(markdown, 'utf8')).toMatch(/^### ✅ No findings\n/);
    const refused = await lockhound(['scan', '--local', join(folder, 'clean'), '--report', 'xml=a']);
    expect([refused.code, refused.note]).toEqual([2, expect.stringContaining('such as sarif=scan.sarif')]);
  });

  it('scans the bundled example, and nothing else', async () => {
    const { code, out } = await lockhound(['scan', '--example', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ lockfiles: [{ path: 'package-lock.json' }] });
    const refused = await lockhound(['scan', '--example', folder]).catch((error: unknown) => error);
    expect(String(refused) + JSON.stringify(refused)).toContain('leave the paths out');
  });

  it('enqueues nothing for an unknown input format', async () => {
    vi.stubEnv('REDIS_URL', 'redis://127.0.0.1:1');
    const { code, note } = await lockhound([...ENQUEUE, '--as', 'npm']);
    vi.unstubAllEnvs();
    expect(code).toBe(2);
    expect(note).toMatch(NO_FORMAT);
  });

  it('suggests --local when the service cannot be reached', async () => {
    process.env['LOCKHOUND_INSIGHTS_URL'] = 'http://127.0.0.1:9';
    const { code, note } = await lockhound(['scan', join(folder, 'clean')]).finally(() => {
      delete process.env['LOCKHOUND_INSIGHTS_URL'];
    });
    expect(code).toBe(2);
    expect(note).toMatch(
      /no package could be looked up at http:\/\/127\.0\.0\.1:9.*--local.*\[insights-unreachable\]/s,
    );
  });
});
