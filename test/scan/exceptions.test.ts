import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/lockfiles/read-as.ts';
import { createLockfileReader } from '../../src/lockfiles/threads/lockfile-reader.ts';
import { COMMAND_INLINE } from '../../src/lockfiles/threads/reading-limits.ts';
import { readLockfiles } from '../../src/scan/read.ts';

const reader = createLockfileReader({ threads: 1, inline: COMMAND_INLINE });
const attempt = { signal: new AbortController().signal, lastAttempt: true, progress() {} };

/** The exceptions of lockfiles, with what each lockfile proves. */
async function read(...files: { path: string; content: string; companions: Record<string, string> }[]) {
  const produced = files.map(({ companions, ...file }) => ({
    ...file,
    companions: Object.entries(companions).map(([name, content]) => ({ name, content })),
  }));
  const all = await readLockfiles(produced, { limits: DEFAULT_LIMITS, read: reader.read }, attempt);
  expect(all.unread).toEqual([]);
  return all.read;
}

async function proofs(path: string, content: string, companions: Record<string, string>) {
  const [file] = await read({ path, content, companions });
  return file?.exceptions.map(({ subject, proof }) => [subject, proof?.verdict ?? 'unknown']);
}

const npmLock = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { a: '^1.0.0', b: '^1.0.0', c: '*', d: '^1.0.0', f: '^1.0.0' } },
    'node_modules/a': { version: '1.2.0', dependencies: { e: '^1.1.0' } },
    'node_modules/b': { version: '2.0.0', dependencies: { e: '^1.0.0' } },
    'node_modules/c': { version: '1.0.0', dependencies: { e: '^2.0.0' } },
    'node_modules/d': { version: '1.0.0', peerDependencies: { c: '^9' } },
    'node_modules/e': { version: '1.3.0' },
    'node_modules/c/node_modules/e': { version: '2.1.0' },
    'node_modules/f': { name: 'g', version: '1.0.0' },
  },
});

/** The beginning of a lockfile of uv: its project. */
const UV_PROJECT = `version = 1
[[package]]
name = "own"
version = "0.1.0"
source = { virtual = "." }
`;

describe('what a lockfile proves about overrides', () => {
  it('of Yarn 4 is not about the default release, because it takes the highest one', async () => {
    const entry = (key: string, id: string) =>
      `"${key}":\n  version: 1.0.0\n  resolution: "${id}"\n  languageName: node\n  linkType: hard\n\n`;
    const root = `"r@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "r@workspace:."\n  dependencies:\n    a: "npm:^1.0.0"\n  languageName: unknown\n  linkType: soft\n`;
    const content = `__metadata:\n  version: 8\n\n${entry('a@npm:1.0.0', 'a@npm:1.0.0')}${root}`;
    const companions = { 'package.json': '{"dependencies":{"a":"^1.0.0"},"resolutions":{"a":"1.0.0"}}' };
    const [file] = await read({ path: 'yarn.lock', content, companions });
    const [{ proof } = {}] = file?.exceptions ?? [];
    expect(proof).toEqual({
      verdict: 'unknown',
      evidence: expect.stringMatching(/it may hold off newer versions$/),
    });
  });

  it('of npm', async () => {
    const overrides = {
      a: '>=1.2.0',
      b: '2.0.0',
      e: '>=1.1.0',
      none: '1',
      f: 'npm:g@1',
      d: '1.0.0',
      c: '>=1',
    };
    expect(
      await proofs('package-lock.json', npmLock, { 'package.json': JSON.stringify({ overrides }) }),
    ).toEqual([
      // The project permits what is locked.
      ['a', 'removable'],
      // The project does not.
      ['b', 'needed'],
      // Each dependent has a version that it permits.
      ['e', 'removable'],
      ['none', 'removable'],
      // The name of an alias.
      ['f', 'unknown'],
      // An exact version may hold off newer ones.
      ['d', 'unknown'],
      // A requirement of a peer that is not met.
      ['c', 'unknown'],
    ]);
  });

  it('within a range, and not where the lockfile is older than the override', async () => {
    const of = async (overrides: object) =>
      (await proofs('package-lock.json', npmLock, { 'package.json': JSON.stringify({ overrides }) }))?.map(
        ([, verdict]) => verdict,
      );
    // The project requires ^1.0.0: no version that it permits is outside of these.
    expect(await of({ a: '^1.2.0' })).toEqual(['removable']);
    const marked = { 'package.json': `\uFEFF${JSON.stringify({ overrides: { a: '^1.2.0' } })}` };
    expect(await proofs('package-lock.json', npmLock, marked)).toEqual([['a', 'removable']]);
    expect(await of({ a: '1.2.0 || 2' })).toEqual(['unknown']);
    expect(await of({ a: '1.2.x' })).toEqual(['unknown']);
    expect(await of({ a: '<=1.2.0' })).toEqual(['unknown']);
    // 1.2.0 is locked.
    expect(await of({ a: '>=1.3.0' })).toEqual(['unknown']);
    expect(await of({ a: '$a' })).toEqual(['unknown']);
    // What is cut off may be a bound.
    expect(await of({ a: `${'>=1.2.0 '.repeat(50)}<2` })).toEqual(['unknown']);
    expect(await of({ c: { e: '>=2.0.0' } })).toEqual(['removable']);
    expect(await of({ c: { e: '>=2.5.0' } })).toEqual(['unknown']);
  });

  it('not where a part of the lockfile was not read, or it does not state what packages require', async () => {
    const manifest = JSON.stringify({ overrides: { a: '>=1', none: '1' } });
    const damaged = npmLock.replace('"node_modules/d":{', '"node_modules/d":1,"node_modules/x":{');
    expect(await proofs('package-lock.json', damaged, { 'package.json': manifest })).toEqual([
      ['a', 'unknown'],
      ['none', 'unknown'],
    ]);
    const pnpm = `lockfileVersion: '9.0'
overrides:
  a: '>=1'
  none: '1'
importers:
  .:
    dependencies:
      a:
        specifier: ^1.0.0
        version: 1.2.0
packages:
  a@1.2.0: {}
snapshots:
  a@1.2.0: {}
`;
    const pnpmManifest = JSON.stringify({ pnpm: { overrides: { a: '>=1', none: '1', gone: '-' } } });
    expect(await proofs('pnpm-lock.yaml', pnpm, { 'package.json': pnpmManifest })).toEqual([
      ['a', 'unknown'],
      ['none', 'removable'],
      ['gone', 'unknown'],
    ]);
  });

  it('of one dependent, and of one range', async () => {
    const overrides = { b: { e: '1.3.0' }, 'e@^9': '1.3.0' };
    const lock = npmLock.replace('"e":"^1.0.0"', '"e":"^1.0.0 <1.3.0"');
    expect(
      await proofs('package-lock.json', lock, { 'package.json': JSON.stringify({ overrides }) }),
    ).toEqual([
      ['b>e', 'needed'],
      ['e@^9', 'unknown'],
    ]);
  });

  it('that stand in the way of another one', async () => {
    const all = [
      { a: '>=1.2.0', c: { e: '>=2.0.0' } },
      { a: '>=1.2.0', e: '>=1.1.0', c: { e: '>=2.0.0' } },
    ];
    const [alone, both] = await Promise.all(
      all.map((overrides) =>
        proofs('package-lock.json', npmLock, { 'package.json': JSON.stringify({ overrides }) }),
      ),
    );
    expect(alone).toEqual([
      ['a', 'removable'],
      ['c>e', 'removable'],
    ]);
    expect(both).toEqual([
      ['a', 'removable'],
      ['e', 'unknown'],
      ['c>e', 'unknown'],
    ]);
    // npm looks at the first key of a package alone.
    const hiding = { c: { e: '>=2.0.0' }, 'c@*': '0.9.0' };
    expect(
      await proofs('package-lock.json', npmLock, { 'package.json': JSON.stringify({ overrides: hiding }) }),
    ).toContainEqual(['c>e', 'unknown']);
  });

  it('of a dependent with a range, and of one that is not there', async () => {
    const lock = npmLock.replace('"e":"^1.0.0"', '"e":"^1.0.0 <1.3.0"');
    const overrides = {
      'b@>=2': { e: '1.3.0' },
      gone: { e: '9.0.0' },
      b: { '@s/gone@>1': { e: '9' } },
      own: { e: '9' },
    };
    const manifest = JSON.stringify({ name: 'own', overrides });
    expect(await proofs('package-lock.json', lock, { 'package.json': manifest })).toEqual([
      ['b@>=2>e', 'needed'],
      ['gone>e', 'removable'],
      ['b>@s/gone@>1>e', 'removable'],
      ['own>e', 'unknown'],
    ]);
    const pnpm = "lockfileVersion: '9.0'\npackages:\n  a@1.2.0: {}\nsnapshots:\n  a@1.2.0: {}\n";
    const pnpmManifest = JSON.stringify({
      name: 'own',
      pnpm: { overrides: { 'b@1>a@<2': '3', 'own>a': '3' } },
    });
    expect(await proofs('pnpm-lock.yaml', pnpm, { 'package.json': pnpmManifest })).toEqual([
      ['b@1>a@<2', 'removable'],
      ['own>a', 'unknown'],
    ]);
    const ownLocks = { 'package.json': pnpmManifest, '.npmrc': 'shared-workspace-lockfile = false' };
    expect(await proofs('pnpm-lock.yaml', pnpm, ownLocks)).toContainEqual(['b@1>a@<2', 'unknown']);
    // A member of the workspace may have that name.
    const members = { 'package.json': pnpmManifest, 'pnpm-workspace.yaml': 'packages:\n  - packages/*\n' };
    expect(await proofs('pnpm-lock.yaml', pnpm, members)).toContainEqual(['b@1>a@<2', 'unknown']);
  });

  it('of Bun, which locks another package under the name', async () => {
    const lock = `{
  "lockfileVersion": 1,
  "workspaces": { "": { "name": "own", "dependencies": { "a": "^1.0.0" } } },
  "overrides": {
    "e": "npm:f@2.0.0",
    "none": "1",
  },
  "packages": {
    "a": ["a@1.2.0", "", { "dependencies": { "e": "^1.0.0" } }, "sha512-aaaa"],

    "e": ["f@2.0.0", "", {}, "sha512-aaaa"],
  }
}
`;
    const overrides = JSON.stringify({ overrides: { e: 'npm:f@2.0.0', none: '1' } });
    expect(await proofs('bun.lock', lock, { 'package.json': overrides })).toEqual([
      ['e', 'unknown'],
      ['none', 'removable'],
    ]);
  });

  it('of Yarn 1', async () => {
    const lock = `# yarn lockfile v1


a@^1.0.0:
  version "1.2.0"
  dependencies:
    e "^1.0.0"

e@^1.0.0, e@^2.0.0:
  version "2.0.0"

f@3.0.0:
  version "3.0.0"
`;
    const manifest = {
      dependencies: { a: '^1.0.0' },
      resolutions: { e: '2.0.0', a: '>=1', x: '1', '**/@s/gone/**/e': '9', 'a/**/e': '9', 'gone/f': '3.0.0' },
    };
    expect(await proofs('yarn.lock', lock, { 'package.json': JSON.stringify(manifest) })).toEqual([
      ['e', 'needed'],
      ['a', 'removable'],
      ['x', 'removable'],
      ['**/@s/gone/**/e', 'removable'],
      // Another entry forces what is locked.
      ['a/**/e', 'unknown'],
      // Yarn has locked it for the entry.
      ['gone/f', 'unknown'],
    ]);
  });
});

it('what other lockfiles prove', async () => {
  const cargo = `version = 3
[[package]]
name = "own"
version = "0.1.0"
dependencies = ["hyper", "old"]
[[package]]
name = "hyper"
version = "1.0.0"
source = "git+https://git.example/hyper#7d3bff970b5c218d4cdaa0807ed27d22a4090fa4"
[[package]]
name = "old"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[patch.unused]]
name = "idle"
version = "1.0.0"
[[patch.unused]]
name = "hyper"
version = "2.0.0"
source = "git+https://git.example/other?rev=1#7d3bff970b5c218d4cdaa0807ed27d22a4090fa4"
[[package]]
name = "here"
version = "1.0.0"
[[patch.unused]]
name = "here"
version = "2.0.0"
[[package]]
name = "moved"
version = "1.0.0"
source = "registry+https://crates.example/index"
`;
  const git = (place: string) => `git = "https://git.example/${place}"`;
  const patches = `[patch.crates-io]
hyper = { ${git('hyper')} }
two = { package = "hyper", ${git('other')}, rev = "1" }
idle = { path = "idle" }
none = { package = "idle", ${git('idle')} }
old = { ${git('old')} }
here = { path = "one" }
moved = { version = "1.0.0", registry = "own" }
`;
  expect(await proofs('Cargo.lock', cargo, { 'Cargo.toml': patches })).toEqual([
    ['hyper', 'needed'],
    // Another place of the same crate.
    ['two', 'removable'],
    ['idle', 'removable'],
    ['none', 'unknown'],
    ['old', 'unknown'],
    // Two folders have it.
    ['here', 'unknown'],
    ['moved', 'needed'],
  ]);
  const replacedCrate = `version = 4
[[package]]
name = "old"
version = "1.0.0"
[[package]]
name = "old"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
replace = "old 1.0.0"
`;
  const replace = '[replace]\n"old:1.0.0" = { path = "old" }\n"old:1.1.0" = { path = "old" }\n';
  expect(await proofs('Cargo.lock', replacedCrate, { 'Cargo.toml': replace })).toEqual([
    ['old:1.0.0', 'needed'],
    ['old:1.1.0', 'removable'],
  ]);
  const pnpm = `lockfileVersion: '9.0'
packages:
  a@1.2.0: {}
snapshots:
  a@1.2.0: {}
`;
  const patched = 'patchedDependencies:\n  a@1.2.0: a.patch\n  a@1.3.0: b.patch\n  b: b.patch\n';
  expect(await proofs('pnpm-lock.yaml', pnpm, { 'pnpm-workspace.yaml': patched })).toEqual([
    ['a@1.2.0', 'needed'],
    ['a@1.3.0', 'removable'],
    ['b', 'removable'],
  ]);
  const go = `module a
go 1.22
require b.example/b v1.0.0
replace b.example/b => ../b
replace c.example/c => d.example/d v1.2.0
`;
  expect(await proofs('go.mod', go, {})).toEqual([
    ['b.example/b', 'needed'],
    ['c.example/c', 'unknown'],
  ]);
  const hash = `h1:${'A'.repeat(43)}=`;
  const replaced = `module a
go 1.22
require c.example/c v1.1.0
require d.example/d v1.1.0
replace c.example/c => e.example/e v1.2.0
replace d.example/d => d.example/d v1.1.0
replace f.example/f => f.example/f v1.0.0
replace g.example/g => ../g
`;
  const sums = ['e.example/e v1.2.0', 'd.example/d v1.1.0'].map(
    (one) => `${one} ${hash}\n${one}/go.mod ${hash}\n`,
  );
  const verdicts = async (sum: string) =>
    (await proofs('go.mod', replaced, { 'go.sum': sum }))?.map(([, verdict]) => verdict);
  expect(await verdicts(sums.join(''))).toEqual(['needed', 'unknown', 'removable', 'unknown']);
  // A go.sum that lacks a module proves nothing.
  expect(await verdicts(sums[0] ?? '')).toEqual(['needed', 'unknown', 'unknown', 'unknown']);
  const uv = `${UV_PROJECT}dependencies = [{ name = "grpc-io" }]
[[package]]
name = "grpc-io"
version = "1.64.0"
source = { registry = "https://pypi.org/simple" }
`;
  const pyproject =
    '[tool.uv]\nconstraint-dependencies = ["Grpc_IO<1.65", "numpy<2", "x; python_version < \'3\'"]\n';
  expect(
    (await proofs('uv.lock', uv, { 'pyproject.toml': pyproject }))?.map(([, verdict]) => verdict),
  ).toEqual([...['unknown', 'unknown', 'unknown']]);
});

it('Yarn 4 locks apart what an entry selects for one dependent', async () => {
  const entry = (key: string, version: string, more = '') =>
    `"${key}":\n  version: ${version}\n  resolution: "${key.split('@')[0]}@npm:${version}"\n${more}  languageName: node\n  linkType: hard\n`;
  const lock = [
    '__metadata:\n  version: 10\n',
    entry('a@npm:^1.0.0', '1.0.0', '  dependencies:\n    b: "npm:^1.0.0"\n'),
    entry('b@npm:>=1.0.0', '2.0.0'),
    entry('b@npm:^1.0.0', '1.2.0'),
    entry('c@npm:^1.0.0', '1.0.0', '  dependencies:\n    b: "npm:^1.0.0"\n'),
    '"own@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "own@workspace:."\n  dependencies:\n    a: "npm:^1.0.0"\n    c: "npm:^1.0.0"\n  languageName: unknown\n  linkType: soft\n',
  ].join('\n');
  const manifest = JSON.stringify({ name: 'own', resolutions: { 'a/b': '>=1.0.0' } });
  const [file] = await read({ path: 'yarn.lock', content: lock, companions: { 'package.json': manifest } });
  expect(file?.exceptions.map(({ proof }) => proof)).toEqual([
    { verdict: 'needed', evidence: 'a@1.0.0 requires b npm:^1.0.0, and 2.0.0 is locked' },
  ]);
});

describe('what a lockfile proves about other entries', () => {
  /** Verdict and evidence by subject. */
  async function evidence(path: string, content: string, companions: Record<string, string>) {
    const [file] = await read({ path, content, companions });
    const shown = file?.exceptions.map(({ subject, proof }) => [
      subject,
      `${proof?.verdict}: ${proof?.evidence}`,
    ]);
    return Object.fromEntries(shown ?? []);
  }
  const pnpm = (versions: string) => `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      b: { specifier: ^1.0.0, version: 1.0.0(a@1.2.0) }
      a: { specifier: ^1.0.0, version: 1.2.0 }
packages:
  a@1.2.0: {}
  b@1.0.0:
    peerDependencies: { a: ${versions}, gone: '*', may: '*' }
    peerDependenciesMeta: { may: { optional: true } }
snapshots:
  a@1.2.0: {}
  b@1.0.0(a@1.2.0):
    dependencies: { a: 1.2.0 }
`;

  it('peers whose versions or absence pnpm would report', async () => {
    const rules = (allowed: object) => ({
      'package.json': JSON.stringify({
        pnpm: {
          peerDependencyRules: {
            allowedVersions: allowed,
            ignoreMissing: ['gone', 'may', 'none'],
            allowAny: ['a'],
          },
        },
      }),
    });
    const missing = {
      gone: 'needed: b@1.0.0 requires the peer gone *, and gets none',
      may: 'removable: all 1 requirements of the peer may are met without it',
      none: 'removable: no package of pnpm-lock.yaml requires the peer none',
    };
    expect(await evidence('pnpm-lock.yaml', pnpm('^2.0.0'), rules({ 'b>a': '1', 'c>a': '1' }))).toEqual({
      ...missing,
      'b>a': 'needed: b@1.0.0 requires the peer a ^2.0.0, and gets 1.2.0',
      'c>a': 'removable: no package of pnpm-lock.yaml requires the peer c>a',
      a: 'needed: b@1.0.0 requires the peer a ^2.0.0, and gets 1.2.0',
    });
    expect(await evidence('pnpm-lock.yaml', pnpm('^1.0.0'), rules({ 'b>a': '9' }))).toEqual({
      ...missing,
      'b>a': 'removable: all 1 requirements of the peer b>a are met without it',
      a: 'removable: all 1 requirements of the peer a are met without it',
    });
    const overridden = `overrides: { a: 1.2.0 }\n${pnpm('^2.0.0')}`;
    expect((await evidence('pnpm-lock.yaml', overridden, rules({})))['a']).toBe(
      'unknown: an override decides about the peer a',
    );
  });

  it('the excludes of pnpm', async () => {
    const exclude = (more: string) => ({
      'package.json': '{"packageManager":"pnpm@10.20.0"}',
      'pnpm-workspace.yaml': `${more}\ntrustPolicyExclude: [a@1.2.0, 'a@1.1.0', c, 'd*']\nminimumReleaseAgeExclude: [a@1.2.0, a@1.3.0]`,
    });
    const text = pnpm('^1.0.0');
    const none = 'removable: pnpm checks the trust in no release here: trustPolicy is not no-downgrade';
    expect(await proofs('pnpm-lock.yaml', text, exclude(''))).toEqual([
      ...['a@1.2.0', 'a@1.1.0', 'c', 'd*', 'a@1.2.0', 'a@1.3.0'].map((one) => [one, 'removable']),
    ]);
    expect(await evidence('pnpm-lock.yaml', text, exclude(''))).toMatchObject({ c: none });
    const set = exclude('trustPolicy: no-downgrade\nminimumReleaseAge: 60');
    expect(await proofs('pnpm-lock.yaml', text, set)).toEqual([
      ['a@1.2.0', 'unknown'],
      ['a@1.1.0', 'removable'],
      ['c', 'removable'],
      ['d*', 'unknown'],
      ['minimumReleaseAge', 'unknown'],
      ['a@1.2.0', 'unknown'],
      ['a@1.3.0', 'removable'],
    ]);
    const [file] = await read({ path: 'pnpm-lock.yaml', content: text, companions: set });
    expect(file?.exceptions.find(({ kind }) => kind === 'cooldown-exclude')?.proof?.minutes).toBe(60);
    // Without a version of pnpm, its own cooldown is not known.
    const { 'package.json': _, ...unversioned } = exclude('');
    expect((await evidence('pnpm-lock.yaml', text, unversioned))['a@1.3.0']).toBe(
      'unknown: it is not known whether the package manager has a cooldown by itself',
    );
  });

  it('versions that go.mod excludes', async () => {
    const go = `module a
go 1.22
require b.example/b v1.1.0
exclude b.example/b v1.0.0
exclude b.example/b v1.2.0
exclude c.example/c v1.0.0
`;
    // Go 1.16 and later select v1.1.0 also where a module requires v1.2.0.
    expect(await proofs('go.mod', go, {})).toEqual([
      ['b.example/b v1.0.0', 'unknown'],
      ['b.example/b v1.2.0', 'unknown'],
      ['c.example/c v1.0.0', 'unknown'],
    ]);
  });

  it("cargo-deny's crates that are there more than once", async () => {
    const crate = (name: string, version: string) =>
      `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n`;
    const lock = `version = 4\n${crate('a', '1.2.0')}${crate('a', '2.0.0')}${crate('b', '1.0.0')}`;
    const deny = `[licenses]
exceptions = [{ allow = ["EPL-2.0"], name = "b" }, { allow = ["EPL-2.0"], crate = "gone" }]
[bans]
skip = [{ name = "a", version = "1.1" }, { crate = "a@3.0.0" }, { name = "b" }, "c"]
skip-tree = [{ name = "a", version = "=2.0.0" }]
`;
    const all = await proofs('Cargo.lock', lock, { 'deny.toml': deny });
    expect(all).toEqual([
      ['b', 'unknown'],
      ['gone', 'removable'],
      ['a', 'needed'],
      ['a@3.0.0', 'removable'],
      ['b', 'removable'],
      ['c', 'removable'],
      ['a', 'unknown'],
    ]);
  });

  it('constraints of pip are about what it selects beside the requirements file, too', async () => {
    const companions = { 'constraints.txt': 'a<2\nb<2\n' };
    expect(await evidence('requirements.txt', 'a==1.0\n', companions)).toEqual({
      'a<2': 'removable: requirements.txt itself requires a 1.0',
      'b<2': 'unknown: pip may select b, which requirements.txt does not have',
    });
    const compiled = '# This file is autogenerated by pip-compile with Python 3.11\na==1.0\n';
    expect(await evidence('requirements.txt', compiled, companions)).toEqual({
      'a<2': 'unknown: requirements.txt has a 1.0, but it may hold off newer versions',
      'b<2': 'unknown: requirements.txt has no package b: `exceptions --look-up` asks for it',
    });
  });

  it('sources of uv show where a package comes from', async () => {
    const uv = `${UV_PROJECT}[[package]]
name = "here"
version = "1.0.0"
source = { git = "https://git.example/here?rev=1#7d3bff970b5c218d4cdaa0807ed27d22a4090fa4" }
[[package]]
name = "other"
version = "1.0.0"
source = { registry = "https://pypi.org/simple" }
`;
    const git = ['here', 'other', 'gone'].map((one) => `${one} = { git = "https://git.example/${one}" }\n`);
    const pyproject = `[tool.uv.sources]\n${git.join('')}member = { workspace = true }\n`;
    expect(await evidence('uv.lock', uv, { 'pyproject.toml': pyproject })).toEqual({
      here: 'needed: uv.lock has here 1.0.0 from there',
      other: 'removable: uv.lock has other 1.0.0 from a registry',
      gone: 'removable: uv.lock has no package gone',
      member: 'undefined: undefined',
    });
  });

  it('a constraint may hold off newer versions than the locked one', async () => {
    const uv = `${UV_PROJECT}[[package]]
name = "numpy"
version = "1.26.0"
source = { registry = "https://pypi.org/simple" }
`;
    const pyproject =
      '[tool.uv]\nconstraint-dependencies = ["numpy<2"]\nbuild-constraint-dependencies = ["numpy<3"]\n';
    const [file] = await read({ path: 'uv.lock', content: uv, companions: { 'pyproject.toml': pyproject } });
    expect(file?.exceptions.map(({ proof }) => [proof?.evidence, proof?.locked])).toEqual([
      ['uv.lock has numpy 1.26.0, but it may hold off newer versions', '1.26.0'],
      ['it is about builds, whose packages no lockfile has', undefined],
    ]);
  });
});

it('a file of the root is read once, and one that is damaged is no problem of the lockfile', async () => {
  const companions = {
    '../renovate.json': '{"ignoreDeps":["x"]}',
    '../.trivyignore': '\u0000',
    '.npmrc': 'a=b',
  };
  const files = ['a', 'b'].map((folder) => ({
    path: `${folder}/package-lock.json`,
    content: npmLock,
    companions,
  }));
  const [first, second] = await read(...files);
  expect(first?.exceptions.map(({ kind, path }) => [kind, path])).toEqual([
    ['update-rule', 'renovate.json'],
    ['unread', '.trivyignore'],
  ]);
  expect(second?.exceptions).toEqual([]);
  expect([first, second].flatMap((one) => one?.lockfile.problems)).toEqual([]);
});
