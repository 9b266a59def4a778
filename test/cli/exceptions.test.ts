import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { IndexedPackage } from '../../src/embedded/insights/data-set.ts';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'exceptions-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of the example with an override that nothing uses, and one file more. */
function project(name: string, files: Readonly<Record<string, string>> = {}): string {
  const place = join(folder, name);
  cpSync('examples/shop/package-lock.json', join(place, 'package-lock.json'), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(place, file, '..'), { recursive: true });
    writeFileSync(join(place, file), text);
  }
  return place;
}

/** Verdict and evidence of each exception by its subject, as `exceptions` says it with an index. */
async function judgedWith(packages: readonly IndexedPackage[], place: string, ...args: string[]) {
  const service = await startInsightsService({ data: { packages, advisories: [] } });
  try {
    const config = join(place, 'config.yaml');
    writeFileSync(config, `insights: { url: "${service.url}" }\n`);
    const { out } = await lockhound(['exceptions', place, '--json', '--config', config, ...args]);
    const { exceptions } = JSON.parse(out) as { exceptions: Record<string, string>[] };
    return Object.fromEntries(
      exceptions.map(({ subject = '', verdict, evidence }) => [subject, `${verdict}: ${evidence}`]),
    );
  } finally {
    await service.close();
  }
}

const overrides = JSON.stringify({ overrides: { 'not-there': '1.0.0' } }, null, 2);

describe('lockhound exceptions', () => {
  it('lists what can be removed first, without network', async () => {
    const place = project('plain', {
      'package.json': overrides,
      '.github/dependabot.yml':
        'updates:\n  - package-ecosystem: npm\n    ignore:\n      - dependency-name: lodash # later\n',
      'osv-scanner.toml': '[[IgnoredVulns]]\nid = "CVE-2021-23337"\nignoreUntil = 2024-01-01\n',
      '.trivyignore': 'CVE-2021-23337\n',
    });
    const { code, out } = await lockhound(['exceptions', place]);
    expect(code).toBe(1);
    expect(out).toBe(`total  4
removable (1)
  place           kind      subject    value  evidence
  package.json:3  override  not-there  1.0.0  package-lock.json has no package not-there
expired (1)
  place               kind              subject         evidence
  osv-scanner.toml:2  ignored-advisory  CVE-2021-23337  it has no effect since 2024-01-01
needed (1)
  place                     kind         subject  evidence                            reason
  .github/dependabot.yml:4  update-rule  lodash   it is about pkg:npm/lodash@4.17.20  later
unknown (1)
  place           kind              subject         evidence
  .trivyignore:1  ignored-advisory  CVE-2021-23337  no advisories were looked up
`);
  });

  it('with looked-up advisories says which ignored ones still affect something', async () => {
    const place = project('looked', {
      '.trivyignore': 'CVE-2021-23337\n',
      '.lockhound.yaml': 'suppressions:\n  - advisory: CVE-2021-23337\n    reason: not reachable\n',
    });
    const { out } = await lockhound(['exceptions', place, '--local', '--json']);
    const { exceptions } = JSON.parse(out) as { exceptions: Record<string, string>[] };
    expect(exceptions.map(({ kind, verdict }) => [kind, verdict])).toEqual([
      ['suppression', 'needed'],
      ['ignored-advisory', 'needed'],
    ]);
  });

  describe('with the requirements of dependents, which the index has', () => {
    const of = (name: string, versions: Record<string, object>, latest = '1.0.0') => ({
      ...{ system: 'NPM' as const, name, default: latest },
      versions: Object.entries(versions).map(([version, one]) => ({ version, ...one })),
    });
    const two = { '1.0.0': {}, '1.1.0': {} };
    const packages = [
      of('a', {
        '1.0.0': {
          dependencies: {
            open: '^1.0.0',
            old: '^2.0.0',
            newest: '^1.0.0',
            held: '^1.0.0',
            one: '^1.0.0',
            both: '^1.0.0',
          },
          optionalDependencies: { maybe: '1.0.0' },
          peerDependencies: { peer: '^1.0.0' },
        },
      }),
      ...['old', 'newest', 'maybe', 'peer', 'own'].map((name) => of(name, { '1.0.0': {} })),
      ...['open', 'held', 'both'].map((name) => of(name, two, '1.1.0')),
      of('one', { '1.0.0': {}, '1.0.1': {} }, '1.0.1'),
    ];
    const overrides = {
      ...{ open: '>=1.0.0', old: '1.0.0', newest: '1.0.0', held: '1.0.0', maybe: '>=1.0.0 <9', peer: '>=1' },
      ...{ own: '1.0.0', 'own@>=2 <3': '1.0.0', strange: '1.0.0', 'a>one': '>=1.0.1', 'b>own': '>=1.0.0' },
      ...{ gone: '-', both: '1.0.0' },
    };
    const pnpm = (replaced: object, more = '') => `lockfileVersion: '9.0'
${more}overrides:
${Object.entries(replaced)
  .map(([name, value]) => `  '${name}': '${value}'\n`)
  .join('')}
importers:
  .:
    dependencies:
      a: { specifier: ^1.0.0, version: 1.0.0(peer@1.0.0) }
      strange: { specifier: 1.0.0, version: 1.0.0 }
      both: { specifier: 1.0.0, version: 1.0.0 }
  packages/b:
    dependencies:
      own: { specifier: 1.0.0, version: 1.0.0 }
packages:
  a@1.0.0: { resolution: { integrity: sha512-a }, peerDependencies: { peer: '>=1' } }
${['open', 'old', 'newest', 'held', 'maybe', 'peer', 'own', 'strange', 'other', 'both']
  .map((name) => `  ${name}@1.0.0: { resolution: { integrity: sha512-a } }\n`)
  .join('')}  one@1.0.1: { resolution: { integrity: sha512-a } }
snapshots:
  a@1.0.0(peer@1.0.0):
    dependencies: { open: 1.0.0, old: 1.0.0, newest: 1.0.0, held: 1.0.0, one: 1.0.1, peer: 1.0.0, both: 1.0.0 }
    optionalDependencies: { maybe: 1.0.0 }
${['open', 'old', 'newest', 'held', 'maybe', 'peer', 'own', 'both']
  .map((name) => `  ${name}@1.0.0: {}\n`)
  .join('')}  one@1.0.1: {}
  other@1.0.0:
    dependencies: { strange: 1.0.0 }
  strange@1.0.0: {}
`;
    const files = {
      'package.json': JSON.stringify({
        ...{
          name: 'root',
          dependencies: { a: '^1.0.0', strange: '^1.0.0', both: '1.0.0' },
          pnpm: { overrides },
        },
        overrides: { 'not-read': '1.0.0', old: '1.0.0' },
      }),
      'pnpm-workspace.yaml': 'packages: [packages/*]\n',
      'packages/b/package.json': JSON.stringify({ name: 'b', dependencies: { own: '^1.0.0' } }),
    };

    const judged = (place: string, ...args: string[]) => judgedWith(packages, place, ...args);

    it('most overrides of pnpm get a verdict', async () => {
      const manifest = { ...JSON.parse(files['package.json']), packageManager: 'pnpm@10.34.9' };
      const old = { ...files, 'package.json': JSON.stringify(manifest), 'pnpm-lock.yaml': pnpm(overrides) };
      const place = project('pnpm', old);
      rmSync(join(place, 'package-lock.json'));
      const looked = await judged(place, '--look-up');
      // pnpm 11 and later lock all anew.
      writeFileSync(join(place, 'package.json'), files['package.json']);
      expect(await judged(place, '--look-up')).toMatchObject({
        open: 'unknown: all 1 requirements of open permit 1.0.0; without it, 1.1.0 may be selected',
        maybe: 'removable: all 1 requirements of maybe permit 1.0.0, the newest that each permits',
        'own@>=2 <3': 'removable: nothing requires own@>=2 <3',
      });
      writeFileSync(join(place, 'package.json'), old['package.json']);
      expect(await judged(place)).toMatchObject({
        open: expect.stringMatching(/^unknown: .* does not state what requires open: .*--look-up/),
      });
      expect(looked).toEqual({
        'not-read': 'removable: the package manager of pnpm-lock.yaml does not read overrides',
        open: 'removable: all 1 requirements of open permit 1.0.0',
        old: 'needed: a@1.0.0 requires old ^2.0.0, and 1.0.0 is locked',
        newest: 'removable: all 1 requirements of newest permit 1.0.0, the newest that each permits',
        held: 'needed: it holds off held 1.1.0, which a@1.0.0 permits (^1.0.0)',
        maybe: 'removable: all 1 requirements of maybe permit 1.0.0',
        // The lockfile has the override in the place of this requirement.
        peer: 'removable: all 1 requirements of peer permit 1.0.0',
        'a>one': 'removable: all 1 requirements of one permit 1.0.1',
        // The manifest of the member has what the lockfile has not.
        'b>own': 'removable: all 1 requirements of own permit 1.0.0',
        own: 'unknown: another entry may decide without it',
        'own@>=2 <3': 'removable: nothing requires own@>=2 <3',
        strange: 'unknown: it is not known which versions of strange other@1.0.0 requires',
        // The project itself keeps the version, which pnpm then takes for all.
        both: 'unknown: all 2 requirements of both permit 1.0.0; without it, 1.1.0 may be selected',
        gone: expect.stringMatching(/^unknown: /),
      });
    });

    it('nothing is proven where hooks change requirements, and of entries that the lockfile does not have', async () => {
      const { held, ...others } = overrides;
      const hooked = pnpm(others, 'pnpmfileChecksum: sha256-a\n');
      const place = project('hooked', { ...files, 'pnpm-lock.yaml': hooked });
      rmSync(join(place, 'package-lock.json'));
      const { open, held: missing } = await judged(place, '--look-up');
      expect(open).toBe('unknown: pnpm-lock.yaml is not all that decides about open');
      expect(missing).toMatch(/^unknown: pnpm-lock.yaml does not have held/);
    });

    it('of Yarn 4, which would select anew', async () => {
      const entry = (key: string, id: string, more = '') =>
        `\n"${key}":\n  version: 1.0.0\n  resolution: "${id}"\n${more}  checksum: 10/a\n  languageName: node\n  linkType: hard\n`;
      const needs = '  dependencies:\n    held: "npm:^1.0.0"\n    newest: "npm:^1.0.0"\n';
      const lock = [
        '__metadata:\n  version: 8\n',
        entry('a@npm:^1.0.0', 'a@npm:1.0.0', needs),
        entry('held@npm:1.0.0', 'held@npm:1.0.0'),
        entry('newest@npm:1.0.0', 'newest@npm:1.0.0'),
        '\n"root@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "root@workspace:."\n  dependencies:\n    a: "npm:^1.0.0"\n  languageName: unknown\n  linkType: soft\n',
      ];
      const resolutions = { held: '1.0.0', newest: '1.0.0' };
      const manifest = JSON.stringify({ name: 'root', dependencies: { a: '^1.0.0' }, resolutions });
      const place = project('berry', { 'package.json': manifest, 'yarn.lock': lock.join('') });
      rmSync(join(place, 'package-lock.json'));
      expect(await judged(place, '--look-up')).toEqual({
        held: 'needed: it holds off held 1.1.0, which a@1.0.0 permits (npm:^1.0.0)',
        newest: 'removable: all 1 requirements of newest permit 1.0.0, the newest that each permits',
      });
    });
  });

  it("proves Go's replace and exclude by what the modules of go.sum require", async () => {
    const go = (name: string, versions: Record<string, Record<string, string>>) => ({
      ...{ system: 'GO' as const, name: `x.test/${name}`, default: Object.keys(versions).at(-1) ?? '' },
      versions: Object.entries(versions).map(([version, required]) => ({
        version,
        dependencies: Object.fromEntries(
          Object.entries(required).map(([key, one]) => [`x.test/${key}`, one]),
        ),
      })),
    });
    const packages = [
      go('a', { 'v1.0.0': { b: 'v1.2.0', c: 'v1.0.0', d: 'v1.1.0', e: 'v1.0.0' } }),
      go('b', { 'v1.1.0': {}, 'v1.2.0': {} }),
      go('c', { 'v1.0.0': { d: 'v9.0.0' }, 'v1.1.0': {}, 'v1.2.0': {}, 'v1.3.0': {} }),
      go('d', { 'v1.0.0': {}, 'v1.1.0': {}, 'v1.2.0': {} }),
      go('e', { 'v1.0.0': {} }),
      go('gone', { 'v1.0.0': {} }),
    ];
    const hash = `h1:${'A'.repeat(43)}=`;
    const sums = ['a v1.0.0', 'b v1.1.0', 'c v1.1.0', 'd v1.0.0', 'd v1.1.0', 'e v1.0.0'];
    const mod = `module x.test/own
go 1.22
require (
\tx.test/a v1.0.0
\tx.test/b v1.1.0
\tx.test/c v1.1.0
\tx.test/d v1.1.0
\tx.test/e v1.0.0
)
exclude x.test/b v1.2.0 // a dependent requires it
exclude x.test/c v1.0.0
exclude x.test/c v1.2.0
exclude x.test/d v1.0.0
exclude x.test/d v1.2.0
exclude x.test/gone v1.0.0
replace x.test/d => x.test/d v1.0.0
replace x.test/e => x.test/e v1.0.0
`;
    const place = join(folder, 'go');
    mkdirSync(place);
    writeFileSync(join(place, 'go.mod'), mod);
    writeFileSync(
      join(place, 'go.sum'),
      sums.map((one) => `x.test/${one} ${hash}\nx.test/${one}/go.mod ${hash}\n`).join(''),
    );
    expect(await judgedWith(packages, place, '--look-up')).toEqual({
      'x.test/b v1.2.0': 'needed: x.test/a@v1.0.0 requires x.test/b v1.2.0',
      'x.test/c v1.0.0': 'needed: without it, x.test/c@v1.0.0 requires x.test/d v9.0.0',
      'x.test/c v1.2.0': 'removable: no module requires x.test/c v1.2.0, and there is a newer release',
      'x.test/d v1.0.0': 'removable: no module requires x.test/d v1.0.0',
      'x.test/d v1.2.0': 'needed: it holds off x.test/d v1.2.0, the newest release',
      'x.test/gone v1.0.0': 'removable: no module requires x.test/gone v1.0.0',
      'x.test/d': 'needed: go.mod requires x.test/d v1.1.0, in whose place it is',
      'x.test/e': 'removable: x.test/e v1.0.0 is selected without it',
    });
    // The index has nothing of one module.
    expect(await judgedWith(packages.slice(1), place, '--look-up')).toMatchObject({
      'x.test/c v1.2.0': expect.stringMatching(/^unknown: the index has no requirements of x.test\/a v1.0.0/),
      'x.test/d v1.2.0': expect.stringMatching(/^needed: /),
    });
    // What a folder requires is not known.
    writeFileSync(join(place, 'go.mod'), `${mod}replace x.test/b => ../b\n`);
    expect(await judgedWith(packages, place, '--look-up')).toMatchObject({
      'x.test/b': expect.stringMatching(/^needed: /),
      'x.test/c v1.2.0': expect.stringMatching(/^unknown: what \.\.\/b requires/),
    });
  });

  describe('proves constraints and overrides of Python by what requires the package, and by its releases', () => {
    const python = (name: string, versions: Record<string, Record<string, string>>) => ({
      ...{ system: 'PYPI' as const, name, default: Object.keys(versions).at(-1) ?? '' },
      versions: Object.entries(versions).map(([version, dependencies]) => ({
        ...{ version, dependencies, publishedAt: '2020-01-01T00:00:00Z' },
      })),
    });
    const three = { '1.0': {}, '1.5': {}, '2.0': {} };
    const names = ['held', 'bound', 'low', 'forced'];
    const required = { held: '>=1.0', bound: '>=1.0,<2', low: '>=1.0', forced: '>=2' };
    const packages = [
      python('needs', { '1.0': { ...required, kept: '<2' } }),
      python('stays', { '1.0': { kept: '<2' }, '2.0': { kept: '>=2', blocked: '>=2' } }),
      ...names.map((name) => python(name, three)),
      python('kept', { '1.0': {}, '1.5': {}, '2.0': { blocked: '>=2' } }),
    ];
    const locked = {
      needs: '1.0',
      stays: '1.0',
      held: '1.5',
      bound: '1.5',
      low: '2.0',
      forced: '1.0',
      kept: '1.5',
    };
    const judgedIn = async (name: string, files: Record<string, string>) => {
      const place = join(folder, name);
      mkdirSync(place);
      for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
      return await judgedWith(packages, place, '--look-up');
    };
    const verdicts = {
      'held<2': 'needed: it holds off held 2.0, which needs@1.0 permits',
      'bound<2': 'removable: all 1 requirements of bound permit 1.5, and it does, too',
      'low>=1.5': 'removable: all 1 requirements of low permit 2.0, and it does, too',
      'kept<2': 'unknown: stays 2.0, which is not locked, requires kept >=2',
      'blocked<2': 'unknown: stays 2.0, which is not locked, requires blocked',
      'gone<2': expect.stringMatching(
        /^removable: .* has no package gone, and none that is selected requires it$/,
      ),
    };

    it('of uv', async () => {
      const dependencies = (of: readonly string[]) =>
        `dependencies = [${of.map((one) => `{ name = "${one}" }`)}]\n`;
      const edges: Record<string, string> = {
        needs: dependencies([...names, 'kept']),
        stays: dependencies(['kept']),
      };
      const lock = Object.entries(locked).map(
        ([name, version]) =>
          `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = { registry = "https://pypi.org/simple" }\n${edges[name] ?? ''}`,
      );
      const own = `[[package]]\nname = "own"\nversion = "0.1.0"\nsource = { virtual = "." }\n${dependencies(['needs', 'stays'])}[package.metadata]\nrequires-dist = [{ name = "needs" }, { name = "stays" }]\n`;
      const pyproject = `[tool.uv]
constraint-dependencies = ["held<2", "bound<2", "low>=1.5", "kept<2", "blocked<2", "gone<2"]
override-dependencies = ["forced==1.0"]
`;
      const files = { 'uv.lock': `version = 1\n${own}${lock.join('')}`, 'pyproject.toml': pyproject };
      const forced = { 'forced==1.0': 'needed: needs@1.0 requires forced >=2, and 1.0 is locked' };
      expect(await judgedIn('uv', files)).toEqual({ ...verdicts, ...forced });
      // uv selects the lowest versions then.
      const lowest = { ...files, 'pyproject.toml': `${pyproject}resolution = "lowest"\n` };
      expect(await judgedIn('lowest', lowest)).toMatchObject({
        'low>=1.5': expect.stringMatching(/^unknown: /),
      });
    });

    it('of pip-compile', async () => {
      const { forced: _, ...others } = locked;
      const pins = Object.entries(others).map(([name, version]) => `${name}==${version}\n`);
      const constraints = Object.keys(verdicts).join('\n');
      const files = {
        'requirements.txt': `# This file is autogenerated by pip-compile\n${pins.join('')}`,
        'constraints.txt': `${constraints}\n`,
      };
      expect(await judgedIn('compiled', { ...files, 'requirements.in': 'needs\nstays # both\n' })).toEqual(
        verdicts,
      );
      // Without it, the requirements of the project are not known.
      expect(await judgedIn('alone', files)).toMatchObject({
        'bound<2': expect.stringMatching(/^unknown: /),
        'held<2': expect.stringMatching(/^unknown: /),
      });
    });
  });

  it('names the commit of a line, and none for a line that is not committed', async () => {
    const place = project('dated', { 'package.json': overrides });
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: place,
        env: { ...process.env, GIT_AUTHOR_DATE: '2025-01-02T03:04:05Z', GIT_CONFIG_GLOBAL: '/dev/null' },
      });
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=Sam', '-c', 'user.email=sam@example.com', 'commit', '-qm', 'one');
    const ofPath = async (path = place) => {
      const { out } = await lockhound(['exceptions', path, '--json']);
      const { exceptions } = JSON.parse(out) as { exceptions: Record<string, string>[] };
      return exceptions.map(({ subject, since, author }) => [subject, since, author]);
    };
    expect(await ofPath()).toEqual([['not-there', '2025-01-02T03:04:05.000Z', 'Sam']]);
    expect(await ofPath(join(place, 'package-lock.json'))).toEqual(await ofPath());
    writeFileSync(join(place, 'package.json'), overrides.replace('not-there', 'new-one'));
    expect(await ofPath()).toEqual([['new-one', undefined, undefined]]);
  });

  it('reads a folder without a lockfile, and one without anything', async () => {
    const place = join(folder, 'none');
    mkdirSync(place);
    expect(await lockhound(['exceptions', place])).toEqual({ code: 0, out: 'total  0\n', note: '' });
    writeFileSync(join(place, 'renovate.json'), '{"ignoreDeps":["x"]}');
    const { code, out } = await lockhound(['exceptions', place]);
    expect([code, out]).toEqual([0, expect.stringContaining('renovate.json:1  update-rule  x')]);
  });

  it('reads what lies beside no lockfile, of which nothing is proven', async () => {
    const place = join(folder, 'manifests');
    const files = {
      'package.json': '{"overrides":{"left":"1.0.0"}}',
      '.npmrc': 'min-release-age = 3',
      '.cargo/audit.toml': '[advisories]\nignore = ["RUSTSEC-2026-0194"]',
      'Cargo.toml': '[patch.crates-io]\nreedline = { git = "https://example.com/reedline" }',
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), text);
    }
    const { out } = await lockhound(['exceptions', place, '--json']);
    const { exceptions } = JSON.parse(out) as { exceptions: Record<string, string>[] };
    expect(exceptions.map(({ path, subject, verdict }) => [path, subject, verdict])).toEqual([
      ['.cargo/audit.toml', 'RUSTSEC-2026-0194', 'unknown'],
      ['.npmrc', 'min-release-age', 'needed'],
      ['Cargo.toml', 'reedline', 'unknown'],
      ['package.json', 'left', 'unknown'],
    ]);
  });

  it('ends with 2 for a file that it could not read', async () => {
    const place = project('damaged', { 'renovate.json': '{"a":' });
    const { code, out } = await lockhound(['exceptions', place]);
    expect([code, out]).toEqual([2, expect.stringMatching(/renovate\.json {2}unread/)]);
  });
});
