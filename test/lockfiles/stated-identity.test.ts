import { describe, expect, it } from 'vitest';
import { versionOfTarball } from '../../src/lockfiles/ecosystems/npm-source.ts';
import { readText } from './reading.ts';

const HOST = 'https://registry.yarnpkg.com';

const idsIn = (path: string, text: string) => {
  const { packages, problems } = readText(path, text);
  expect(problems).toEqual([]);
  return packages.map(({ id }) => id);
};

describe('a stated name and the name in the URL of its tarball', () => {
  const yarn = (key: string, url: string, version = '1.0.0') =>
    idsIn('yarn.lock', `# yarn lockfile v1\n\n\n${key}:\n  version "${version}"\n  resolved "${url}"\n`);

  it.each([
    // Not every registry has the scope in the URLs of its tarballs.
    ['"@scope/pack@^1.0.0"', `${HOST}/pack/-/pack-1.0.0.tgz`, '@scope/pack'],
    ['"@scope/pack@^1.0.0"', 'https://npm.acme.example/npm/pack/-/pack-1.0.0.tgz', '@scope/pack'],
    ['"own@npm:@scope/pack@^1.0.0"', `${HOST}/pack/-/pack-1.0.0.tgz`, '@scope/pack'],
    ['"own@npm:@scope/pack"', `${HOST}/pack/-/pack-1.0.0.tgz`, '@scope/pack'],
    ['own@^1.0.0, "own@npm:@scope/pack@1.0.0"', `${HOST}/pack/-/pack-1.0.0.tgz`, '@scope/pack'],
    ['own@^1.0.0, "own@npm:other@1.0.0"', `${HOST}/other/-/other-1.0.0.tgz`, 'other'],
    // An override in the manifest replaces the package, and the key has the old name alone.
    ['pack@^1.0.0', `${HOST}/@scope/pack/-/pack-1.0.0.tgz`, '@scope/pack'],
    ['pack@^1.0.0', `${HOST}/other/-/other-1.0.0.tgz`, 'other'],
    ['"@scope/pack@^1.0.0"', `${HOST}/@fork%2fpack/-/pack-1.0.0.tgz`, '@fork/pack'],
  ])('of yarn 1: %s from %s', (key, url, name) => {
    expect(yarn(key, url)).toEqual([`${name}@1.0.0`]);
  });

  it('is the stated one in a package-lock, except where the URL alone says what it is', () => {
    const url = `${HOST}/pack/-/pack-1.0.0.tgz`;
    const dependencies = {
      '@scope/pack': { version: '1.0.0', resolved: url },
      own: { version: url },
      '@other/pack': { version: url },
    };
    expect(idsIn('package-lock.json', JSON.stringify({ lockfileVersion: 1, dependencies }))).toEqual([
      '@scope/pack@1.0.0',
      'pack@1.0.0',
      '@other/pack@1.0.0',
    ]);
  });
});

describe('a version that only the URL of the tarball has', () => {
  const url = (name: string, version: string) =>
    `${HOST}/${name}/-/${name.replace(/^@.*\//, '')}-${version}.tgz`;

  it('of a package-lock', () => {
    const dependencies = {
      '@s/a': { version: url('@s/a', '1.2.3-rc.1'), integrity: 'sha512-YWJj', requires: { b: '1' } },
      b: { version: '', resolved: url('b', '1.0.0') },
      c: { resolved: url('c', '2.0.0') },
    };
    expect(idsIn('package-lock.json', JSON.stringify({ lockfileVersion: 1, dependencies }))).toEqual([
      '@s/a@1.2.3-rc.1',
      'b@1.0.0',
      'c@2.0.0',
    ]);
    const packages = { '': {}, 'node_modules/d': { resolved: url('d', '3.0.0') } };
    expect(idsIn('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages }))).toEqual(['d@3.0.0']);
  });

  it('of a yarn.lock', () => {
    const classic = `# yarn lockfile v1\n\n\na@^1.0.0:\n  resolved "${url('a', '1.0.0')}#${'0'.repeat(40)}"\n`;
    expect(idsIn('yarn.lock', classic)).toEqual(['a@1.0.0']);
    const entry = (key: string, resolution: string) =>
      `"${key}":\n  resolution: "${resolution}"\n  languageName: node\n  linkType: hard\n\n`;
    const berry =
      '__metadata:\n  version: 8\n\n' +
      entry('a@npm:^1.0.0', `a@npm:1.0.0::__archiveUrl=${encodeURIComponent('https://h.example/a.tgz')}`) +
      entry('b@npm:^1.0.0', 'b@npm:1.0.0-rc.1') +
      entry(`c@${url('c', '2.0.0')}`, `c@${url('c', '2.0.0')}`);
    expect(idsIn('yarn.lock', berry)).toEqual(['a@1.0.0', 'b@1.0.0-rc.1', 'c@2.0.0']);
  });

  it('of a pnpm-lock.yaml and a bun.lock', () => {
    const key = url('@s/a', '1.0.0');
    const pnpm = (head: string) =>
      `${head}\npackages:\n\n  '${key}':\n    resolution: {tarball: ${key}}\n    dev: false\n`;
    expect(idsIn('pnpm-lock.yaml', pnpm("lockfileVersion: '6.0'"))).toEqual(['@s/a@1.0.0']);
    const bun = {
      lockfileVersion: 1,
      workspaces: { '': { name: 'x' } },
      packages: { own: [`own@${key}`, {}] },
    };
    expect(idsIn('bun.lock', JSON.stringify(bun))).toEqual(['own@1.0.0']);
  });

  it.each([
    [`${HOST}/a/-/a-1.0.0.tgz?x#y`, '1.0.0'],
    [`${HOST}/a-1.0.0-b/-/a-1.0.0-b-2.0.0.tgz`, '2.0.0'],
    [`${HOST}/@s%2fa-b/-/a-b-2.0.0+build.tgz`, '2.0.0+build'],
    ['https://h.example/npm/other/-/file-1.0.0-x.1.tgz', '1.0.0-x.1'],
    ['https://gitea.example/api/packages/o/npm/@s/a/-/1.0.0/a-1.0.0.tgz', '1.0.0'],
    [`https://npm.pkg.github.com/download/@s/a/1.2.3/${'0'.repeat(40)}`, '1.2.3'],
    ['https://npm.jsr.io/~/11/@jsr/s__a/1.2.3.tgz', '1.2.3'],
    [`${HOST}/a/-/a-latest.tgz`, ''],
    [`${HOST}/a/-/a.tgz`, ''],
    [`https://h.example/a-1.0.0.tgz`, ''],
  ])('%s: %j', (location, version) => {
    expect(versionOfTarball({ kind: 'registry', url: location })).toBe(version);
  });

  it('of a pylock.toml: the names of its files', () => {
    const lock = (files: string) =>
      `lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "my-pack"\n${files}\n`;
    const wheels = (...names: string[]) =>
      `wheels = [${names.map((name) => `{ url = "https://h.example/f/${name}#x" }`).join(', ')}]`;
    const wheel = 'my_pack-1.0%2Blocal-py3-none-any.whl';
    expect(idsIn('pylock.toml', lock(wheels(wheel)))).toEqual(['my-pack@1.0+local']);
    expect(idsIn('pylock.toml', lock('sdist = { name = "my-pack-1.0rc1.tar.gz", path = "f" }'))).toEqual([
      'my-pack@1.0rc1',
    ]);
    const { packages, problems } = readText(
      'pylock.toml',
      lock(wheels(wheel, 'my_pack-2.0-py3-none-any.whl')),
    );
    expect(packages).toEqual([]);
    expect(problems).toMatchObject([{ kind: 'unread', message: '"my-pack" has no version' }]);
  });
});

describe('a package whose version is not known', () => {
  it('says so in a requirements file', () => {
    const { packages, problems } = readText(
      'requirements.txt',
      'a\nb>=1\nc==1.*\nd==1\ne @ https://h.example/e.zip\n',
    );
    expect(packages.map(({ name, version }) => [name, version])).toEqual([
      ['a', ''],
      ['b', ''],
      ['c', ''],
      ['d', '1'],
      ['e', ''],
    ]);
    const message = (name: string) =>
      `"${name}" has no exact version, so that the installed one is not known`;
    expect(problems).toEqual([
      { kind: 'unclear', line: 1, message: message('a') },
      { kind: 'unclear', line: 2, message: message('b') },
      { kind: 'unclear', line: 3, message: message('c') },
    ]);
  });

  it('says so in an SBOM', () => {
    const components = [{ type: 'library', name: 'a', purl: 'pkg:npm/a' }];
    const text = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', components });
    const { problems } = readText('bom.json', text);
    expect(problems).toMatchObject([{ kind: 'unclear', message: '"a" has no version' }]);
  });
});
