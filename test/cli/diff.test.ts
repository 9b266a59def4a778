import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { openRepositories, type Repositories } from '../sources/repositories.ts';
import { lockhound } from './lockhound.ts';

let repositories: Repositories;
const start = process.cwd();

beforeAll(() => {
  repositories = openRepositories();
});
afterEach(() => process.chdir(start));
afterAll(() => repositories.close());

/** A package-lock with packages by name. */
function npmLock(packages: Readonly<Record<string, object>>): string {
  const entries = Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]);
  return JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...Object.fromEntries(entries) } });
}

const digest = (letter: string) => `sha512-${letter.repeat(86)}==`;

describe('lockhound diff', () => {
  it('compares a revision with the files here, without a checkout', async () => {
    const { folder } = repositories.create('plain', {
      'web/package-lock.json': npmLock({ a: { version: '1.0.0' }, b: { version: '1.0.0' } }),
      'api/requirements.txt': 'flask==1.0\n',
    });
    const changed = npmLock({ a: { version: '1.1.0' }, c: { version: '1.0.0', hasInstallScript: true } });
    writeFileSync(join(folder, 'web/package-lock.json'), changed);
    process.chdir(folder);
    const { code, out } = await lockhound(['diff', 'HEAD:', '.', '--json']);
    const { lockfiles, counts, alarm, complete } = JSON.parse(out);
    expect({ code, alarm, complete }).toEqual({ code: 1, alarm: false, complete: true });
    expect(counts).toEqual({ 'install-script': 1, added: 1, upgraded: 1, removed: 1 });
    expect(lockfiles.map(({ path, status }: { path: string; status: string }) => [path, status])).toEqual([
      ['api/requirements.txt', 'unchanged'],
      ['web/package-lock.json', 'changed'],
    ]);
    process.chdir('web');
    const { out: text } = await lockhound(['diff', 'HEAD:./package-lock.json', 'package-lock.json']);
    for (const word of ['new install script', 'added', 'up', 'removed'])
      expect(text).toMatch(new RegExp(`^ +${word} +1\\n`, 'm'));
    expect(text).toMatch(/ up +a +1\.0\.0 → 1\.1\.0\n/);
    expect((await lockhound(['diff', 'HEAD:', 'HEAD:'])).code).toBe(0);
  });

  it('has an exit code of its own for a digest that changed under the same version', async () => {
    const lock = (letter: string) => npmLock({ a: { version: '1.0.0', integrity: digest(letter) } });
    const repository = repositories.create('alarm', { 'package-lock.json': lock('A') });
    repository.commit({ 'package-lock.json': lock('B'), 'broken/package-lock.json': '{' });
    process.chdir(repository.folder);
    const { code, out } = await lockhound(['diff', 'HEAD~1:', 'HEAD:']);
    expect(code).toBe(3);
    expect(out).toContain('ALARM integrity changed');
    expect(out).toMatch(/not compared \(1\)\n[\s\S]* new +broken\/package-lock\.json /);
    const markdown = await lockhound(['diff', 'HEAD~1:', 'HEAD:', '--format', 'markdown']);
    expect(markdown.out).toMatch(/^### 🚨 1 integrity changed; incomplete/);
  });

  it('compares no checksums of different versions of yarn', async () => {
    const lock = (key: string, letter: string) =>
      `__metadata:\n  version: 8\n  cacheKey: ${key}\n\n"a@npm:1.0.0":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n  checksum: ${key}/${letter.repeat(128)}\n  languageName: node\n  linkType: hard\n`;
    const { folder } = repositories.create('yarn', { 'yarn.lock': lock('10', 'a') });
    process.chdir(folder);
    writeFileSync('yarn.lock', lock('10c0', 'b'));
    const upgraded = await lockhound(['diff', 'HEAD:', '.']);
    expect(upgraded.code).toBe(0);
    expect(upgraded.out).toContain('checksums were not compared');
    writeFileSync('yarn.lock', lock('10', 'b'));
    expect((await lockhound(['diff', 'HEAD:', '.'])).code).toBe(3);
  });

  it('says which licences changed, and which are new', async () => {
    const versions = (...licences: readonly string[]) =>
      licences.map((license, major) => ({ version: `${major + 1}.0.0`, license }));
    const service = await startInsightsService({
      data: {
        packages: [
          { system: 'NPM', name: 'a', versions: versions('MIT', 'AGPL-3.0-only') },
          { system: 'NPM', name: 'b', versions: versions('ISC') },
        ],
        advisories: [],
      },
    });
    const { folder } = repositories.create('licences', {
      'package-lock.json': npmLock({ a: { version: '1.0.0' } }),
    });
    process.chdir(folder);
    writeFileSync('package-lock.json', npmLock({ a: { version: '2.0.0' }, b: { version: '1.0.0' } }));
    writeFileSync('lockhound.yaml', JSON.stringify({ insights: { url: service.url } }));
    const { out } = await lockhound([
      'diff',
      'HEAD:',
      '.',
      '--licences',
      '--json',
      '--config',
      'lockhound.yaml',
    ]);
    await service.close();
    const { newLicences, counts, complete } = JSON.parse(out);
    expect([complete, counts]).toEqual([true, { licence: 1, added: 1, upgraded: 1 }]);
    expect(newLicences).toEqual([
      { licence: 'AGPL-3.0-only', packages: ['a@2.0.0'] },
      { licence: 'ISC', packages: ['b@1.0.0'] },
    ]);
    // The service is gone: what is not known is a gap.
    const gone = await lockhound(['diff', 'HEAD:', '.', '--licences', '--config', 'lockhound.yaml']);
    expect(gone.code).toBe(2);
    expect(gone.out).toMatch(/not compared \(3\)\n[\s\S]* new +pkg:npm\/a@2\.0\.0 /);
  });

  it('does not count what it cannot read as removed', async () => {
    const { folder } = repositories.create('unread', {
      'package-lock.json': npmLock({ a: { version: '1.0.0' } }),
      'other/package-lock.json': npmLock({ b: { version: '1.0.0' } }),
    });
    process.chdir(folder);
    execFileSync('rm', ['package-lock.json']);
    execFileSync('mkfifo', ['package-lock.json']);
    const { code, out } = await lockhound(['diff', 'HEAD:', '.', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      complete: false,
      counts: {},
      gaps: [{ side: 'new', subject: 'package-lock.json' }],
    });
  });

  let refuses: string | undefined;
  it.each([
    ['--upload-pack=touch x:', 'is not the name of a commit'],
    ['HEAD..HEAD~1:', 'is not the name of a commit'],
    ['nothing:', 'there is no commit "nothing"'],
    ['HEAD:nothing', 'there is no lockfile'],
    ['HEAD:../outside', 'is not a path in the repository'],
    ['nothing', 'no such file or folder'],
    ['/dev/zero', 'only regular files are read'],
  ])('refuses %s', async (side, message) => {
    refuses ??= repositories.create('refuses', { 'package-lock.json': npmLock({}) }).folder;
    process.chdir(refuses);
    const { code, note } = await lockhound(['diff', '--', side, '.']);
    expect(code).toBe(2);
    expect(note).toContain(message);
  });

  it('executes nothing that the repository configures, and asks when a name has two meanings', async () => {
    const { folder } = repositories.create('hostile', {
      'package-lock.json': npmLock({ a: { version: '1.0.0' } }),
    });
    process.chdir(folder);
    const executed = 'touch executed';
    appendFileSync(
      '.git/config',
      `[core]
fsmonitor = ${executed}
sshCommand = ${executed}
pager = ${executed}
alternateRefsCommand = ${executed}
[diff]
external = ${executed}
[extensions]
partialClone = origin
[remote "origin"]
url = ext::${executed}
`,
    );
    symlinkSync('/etc/passwd', 'yarn.lock');
    mkdirSync('HEAD:');
    expect((await lockhound(['diff', 'HEAD:', '.'])).note).toContain(
      'is a file and may be a path of a git revision',
    );
    const { code, out } = await lockhound(['diff', 'HEAD:package-lock.json', 'package-lock.json']);
    expect([code, out]).toEqual([0, 'lockfiles  none\n']);
    expect(execFileSync('ls').toString()).not.toContain('executed');
  });
});
