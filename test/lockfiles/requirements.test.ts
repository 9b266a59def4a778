import { describe, expect, it } from 'vitest';
import { memberPatterns, statementReader } from '../../src/lockfiles/requirements/read-statement.ts';

async function statement(format: string, text: string, files: Readonly<Record<string, string>> = {}) {
  const problems: string[] = [];
  const input = { path: 'lockfile', text, files: new Map(Object.entries(files)) };
  const { requirements, ...rest } = (await statementReader(format))(input, (reason) => problems.push(reason));
  const lines = requirements.map(
    ({ by, folder, name, alias, requirement }) =>
      `${by || `./${folder}`} ${alias === undefined ? '' : `${alias}: `}${name} ${requirement}`,
  );
  return { lines, ...rest, problems };
}

describe('requirements', () => {
  it('of package-lock 3, with workspaces and aliases', async () => {
    const text = JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { express: '^4.17.1' }, devDependencies: { mocha: '8.3.0' } },
        'packages/api': { dependencies: { pad: 'npm:left-pad@^1.0.0' } },
        'node_modules/api': { resolved: 'packages/api', link: true },
        'node_modules/express': {
          version: '4.17.1',
          dependencies: { qs: '6.7.0' },
          devDependencies: { tap: '1' },
        },
        'node_modules/express/node_modules/qs': { version: '6.7.0', peerDependencies: { '@scope/x': '>=1' } },
      },
    });
    const manifest = JSON.stringify({
      overrides: { qs: '6.7.1', express: { '.': '4', debug: '2' }, 'a@^1': '1.2.3' },
    });
    expect(await statement('npm-package-lock', text, { 'package.json': manifest })).toEqual({
      lines: [
        './ express ^4.17.1',
        './ mocha 8.3.0',
        './packages/api pad: left-pad npm:left-pad@^1.0.0',
        'express@4.17.1 qs 6.7.0',
        'qs@6.7.0 @scope/x >=1',
      ],
      statesDirect: true,
      pins: [
        { name: 'qs', requirement: '6.7.1', where: 'package.json overrides', everywhere: true },
        { name: 'express', requirement: '4', where: 'package.json overrides', everywhere: true },
        { name: 'debug', requirement: '2', where: 'package.json overrides', everywhere: false },
        { name: 'a', requirement: '1.2.3', where: 'package.json overrides', everywhere: false },
      ],
      cooldown: undefined,
      problems: [],
    });
  });

  it('of package-lock 1', async () => {
    const text = JSON.stringify({
      lockfileVersion: 1,
      dependencies: {
        a: { version: '1.0.0', requires: { b: '^2.0.0' }, dependencies: { b: { version: '2.0.0' } } },
      },
    });
    const own = { 'package.json': JSON.stringify({ dependencies: { a: '1' } }) };
    expect(await statement('npm-package-lock', text, own)).toMatchObject({
      lines: ['./ a 1', 'a@1.0.0 b ^2.0.0'],
      statesDirect: true,
    });
    expect(await statement('npm-package-lock', text)).toMatchObject({ statesDirect: false });
  });

  it('of yarn.lock 1', async () => {
    const text = `# yarn lockfile v1\n\n\n"@a/b@^1.0.0", "@a/b@^1.1.0":\n  version "1.2.0"\n  dependencies:\n    c "^2.0.0"\n\nc@^2.0.0:\n  version "2.0.1"\n`;
    const own = {
      'package.json': JSON.stringify({
        dependencies: { '@a/b': '^1.1.0' },
        resolutions: { '**/c': '2.0.1' },
      }),
    };
    expect(await statement('yarn-lock', text, own)).toMatchObject({
      lines: ['./ @a/b ^1.1.0', '@a/b@1.2.0 c ^2.0.0'],
      manager: 'yarn-1',
      statesDirect: true,
      pins: [{ name: 'c', everywhere: true }],
    });
  });

  it('of yarn.lock 1 without a manifest: what no package requires, the target does', async () => {
    const text = `# yarn lockfile v1\n\n\na@1.0.0, a@^1.0.0:\n  version "1.0.0"\n\nb@^2.0.0:\n  version "2.0.1"\n  dependencies:\n    a "^1.0.0"\n\n"other@npm:c@^3":\n  version "3.0.0"\n`;
    expect(await statement('yarn-lock', text)).toMatchObject({
      lines: ['./ a 1.0.0', './ b ^2.0.0', './ other: c npm:c@^3', 'b@2.0.1 a ^1.0.0'],
      statesDirect: true,
    });
  });

  it('of a workspace of Yarn 1: those of its folders, and it is known when one is missing', async () => {
    const text = `# yarn lockfile v1\n\n\na@1.0.0:\n  version "1.0.0"\n\nb@^2.0.0:\n  version "2.0.1"\n`;
    const own = {
      'package.json': JSON.stringify({ workspaces: { packages: ['packages/*', 1] } }),
      'packages/x/package.json': JSON.stringify({ dependencies: { a: '1.0.0' } }),
    };
    expect(await memberPatterns('yarn-lock', new Map(Object.entries(own)))).toEqual(['packages/*']);
    expect(await statement('yarn-lock', text, own)).toMatchObject({
      lines: ['./packages/x a 1.0.0'],
      statesDirect: false,
    });
    const all = {
      ...own,
      'packages/y/package.json': JSON.stringify({ devDependencies: { b: '^2.0.0' } }),
    };
    expect(await statement('yarn-lock', text, all)).toMatchObject({
      lines: ['./packages/x a 1.0.0', './packages/y b ^2.0.0'],
      statesDirect: true,
    });
  });

  it('of yarn.lock 8', async () => {
    const text = `__metadata:\n  version: 8\n\n"api@workspace:packages/api":\n  version: 0.0.0-use.local\n  resolution: "api@workspace:packages/api"\n  dependencies:\n    c: "npm:^2.0.0"\n  languageName: unknown\n  linkType: soft\n\n"c@npm:^2.0.0":\n  version: 2.0.1\n  resolution: "c@npm:2.0.1"\n  dependencies:\n    d: "npm:1"\n  languageName: node\n  linkType: hard\n`;
    expect(await statement('yarn-lock', text)).toMatchObject({
      lines: ['./packages/api c npm:^2.0.0', 'c@2.0.1 d npm:1'],
      statesDirect: true,
    });
  });

  it.each([
    [
      'lockfileVersion: "9.0"\nimporters:\n  .:\n    dependencies:\n      a:\n        specifier: ^1.0.0\n        version: 1.0.1\n  web:\n    devDependencies:\n      b:\n        specifier: 2\n        version: 2.0.0\noverrides:\n  p>c: 3.0.0\n  d: 4.0.0\n',
      ['./ a ^1.0.0', './web b 2'],
    ],
    [
      'lockfileVersion: "9.0"\npackages:\n  a@1.0.0:\n    peerDependencies:\n      b: ^2.0.0\nsnapshots:\n  a@1.0.0(b@2.0.0): {}\n',
      ['a@1.0.0 b ^2.0.0'],
    ],
    [
      'lockfileVersion: "6.0"\npackages:\n  /@x/a@1.0.0(b@2.0.0):\n    peerDependencies:\n      b: ^2.0.0\n',
      ['@x/a@1.0.0 b ^2.0.0'],
    ],
    [
      'lockfileVersion: "9.0"\nimporters:\n  .:\n    dependencies:\n      old:\n        specifier: npm:a@1.0.0\n        version: a@1.0.0\n',
      ['./ old: a npm:a@1.0.0'],
    ],
    ['lockfileVersion: 5.4\nspecifiers:\n  a: ^1.0.0\ndependencies:\n  a: 1.0.1\n', ['./ a ^1.0.0']],
  ])('of pnpm-lock', async (text, lines) => {
    expect(await statement('pnpm-lock', text)).toMatchObject({ lines, statesDirect: true });
  });

  it('of bun.lock', async () => {
    const text = `{ "lockfileVersion": 1, "workspaces": { "": { "dependencies": { "a": "^1.0.0", }, }, },\n "overrides": { "b": "2.0.0" },\n "packages": { "a": ["a@1.0.1", "", { "dependencies": { "b": "^2.0.0" } }, "sha512-x"], } }`;
    expect(await statement('bun-lock', text)).toMatchObject({
      lines: ['./ a ^1.0.0', 'a@1.0.1 b ^2.0.0'],
      pins: [{ name: 'b', requirement: '2.0.0', where: 'lockfile overrides', everywhere: true }],
    });
  });

  it('of Cargo, from the manifest', async () => {
    const manifest =
      '[package]\nname = "x"\n[dependencies]\nserde = "1.0"\nrenamed = { package = "real", version = "0.3" }\nlocal = { path = "../l" }\n[target."cfg(unix)".dependencies]\nlibc = { version = "0.2" }\n';
    expect(await statement('cargo-lock', 'version = 4\n', { 'Cargo.toml': manifest })).toMatchObject({
      lines: ['./ serde 1.0', './ real 0.3', './ libc 0.2'],
      statesDirect: true,
    });
  });

  it('of poetry.lock', async () => {
    const text =
      '[[package]]\nname = "requests"\nversion = "2.0.0"\n[package.dependencies]\nUrllib3 = ">=1.21,<1.27"\ncertifi = { version = ">=2017", optional = true }\n';
    const manifest =
      '[project]\ndependencies = ["Requests[socks] (>=2,<3) ; python_version > \'3\'"]\n[tool.poetry.group.dev.dependencies]\npytest = "^7"\n';
    expect(await statement('poetry-lock', text, { 'pyproject.toml': manifest })).toMatchObject({
      lines: [
        './ requests (>=2,<3)',
        './ pytest ^7',
        'requests@2.0.0 urllib3 >=1.21,<1.27',
        'requests@2.0.0 certifi >=2017',
      ],
      statesDirect: true,
    });
  });

  it('of uv.lock', async () => {
    const text =
      'version = 1\n[manifest]\noverrides = [{ name = "idna", specifier = "==3.7" }]\n[[package]]\nname = "own"\nversion = "0"\nsource = { virtual = "." }\n[package.metadata]\nrequires-dist = [{ name = "requests", specifier = ">=2" }, { name = "forked", git = "https://example.com/f" }]\n[package.metadata.requires-dev]\ndev = [{ name = "pytest" }]\n';
    expect(await statement('uv-lock', text)).toMatchObject({
      lines: ['./ requests >=2', './ pytest '],
      pins: [{ name: 'idna', requirement: '==3.7', everywhere: true }],
    });
  });

  it('of Gemfile.lock', async () => {
    const text =
      'PATH\n  remote: .\n  specs:\n    own (1.0)\n      rack (~> 2.0)\n\nGEM\n  remote: https://rubygems.org/\n  specs:\n    nokogiri (1.13.0-x86_64-linux)\n      racc (~> 1.4)\n    rack (2.2.3)\n\nDEPENDENCIES\n  nokogiri (>= 1.6, < 2)\n  own!\n  rack\n';
    expect(await statement('gemfile-lock', text)).toMatchObject({
      lines: [
        './ rack ~> 2.0',
        'nokogiri@1.13.0 racc ~> 1.4',
        './ nokogiri >= 1.6, < 2',
        './ own >= 0',
        './ rack >= 0',
      ],
    });
  });

  it('of packages.lock.json', async () => {
    const text = JSON.stringify({
      version: 1,
      dependencies: {
        'net8.0': {
          A: { type: 'Direct', requested: '[1.0.0, )', resolved: '1.0.0', dependencies: { B: '2.0.0' } },
          B: { type: 'Transitive', resolved: '2.0.0' },
          own: { type: 'Project', dependencies: { A: '[1.0.0, )' } },
        },
      },
    });
    expect((await statement('nuget-packages-lock', text)).lines).toEqual([
      './ A [1.0.0, )',
      'A@1.0.0 B 2.0.0',
      './ A [1.0.0, )',
    ]);
  });

  it.each(['npm-package-lock', 'pnpm-lock', 'bun-lock', 'poetry-lock', 'uv-lock', 'nuget-packages-lock'])(
    'of a damaged %s are none, and the reason is stated',
    async (format) => {
      const { lines, statesDirect, problems } = await statement(format, '{ "a: [');
      expect({ lines, statesDirect }).toEqual({ lines: [], statesDirect: false });
      expect(problems).toEqual([expect.stringMatching(/^lockfile/)]);
    },
  );
});

it('of pnpm are not all known where a manifest is missing in whose place an override stands', async () => {
  const importer = (name: string) =>
    `\n  packages/${name}:\n    dependencies:\n      x: { specifier: 1.0.0, version: 1.0.0 }`;
  const text = `lockfileVersion: '9.0'\noverrides:\n  x: 1.0.0\nimporters:${importer('a')}${importer('b')}\n`;
  const files = { 'packages/a/package.json': '{"dependencies":{"x":"^1.0.0"}}' };
  const all = { ...files, 'packages/b/package.json': '{"dependencies":{"x":"^1.0.0"}}' };
  expect(await statement('pnpm-lock', text, files)).toMatchObject({ statesDirect: false });
  expect(await statement('pnpm-lock', text, all)).toMatchObject({ statesDirect: true });
});

it('of pnpm by a catalog are those of the catalog', async () => {
  const text = `lockfileVersion: '9.0'
catalogs:
  default:
    a: { specifier: ^1.0.0, version: 1.2.0 }
  old:
    b: { specifier: ^2.0.0, version: 2.2.0 }
importers:
  .:
    dependencies:
      a: { specifier: 'catalog:', version: 1.2.0 }
      b: { specifier: 'catalog:old', version: 2.2.0 }
      c: { specifier: 'catalog:gone', version: 1.0.0 }
`;
  const { lines } = await statement('pnpm-lock', text);
  expect(lines).toEqual(['./ a ^1.0.0', './ b ^2.0.0', './ c catalog:gone']);
});

describe('the cooldown of a project', async () => {
  it.each([
    [
      'npm-package-lock',
      '.npmrc',
      'registry=https://example.com\nmin-release-age = 7\nmin-release-age-exclude[]=@own/*\n',
      7 * 1_440,
      ['@own/*'],
    ],
    [
      'pnpm-lock',
      'pnpm-workspace.yaml',
      'minimumReleaseAge: 1440\nminimumReleaseAgeExclude:\n  - webpack\n',
      1_440,
      ['webpack'],
    ],
    [
      'yarn-lock',
      '.yarnrc.yml',
      'npmMinimalAgeGate: 3d\nnpmPreapprovedPackages: ["@own/*"]\n',
      3 * 1_440,
      ['@own/*'],
    ],
    ['yarn-lock', '.yarnrc.yml', 'npmMinimalAgeGate: 90\n', 90, []],
    ['bun-lock', 'bunfig.toml', '[install]\nminimumReleaseAge = 604800\n', 7 * 1_440, []],
    ['uv-lock', 'pyproject.toml', '[tool.uv]\nexclude-newer = "1 week"\n', 7 * 1_440, []],
    ['uv-lock', 'uv.toml', 'exclude-newer = "P3D"\n', 3 * 1_440, []],
    ['uv-lock', 'uv.toml', 'exclude-newer = "24 hours"\n', 1_440, []],
    [
      'uv-lock',
      'pyproject.toml',
      '[tool.uv]\nexclude-newer = "P1D"\nexclude-newer-package = { own = false }\n',
      1_440,
      ['own'],
    ],
    ['npm-package-lock', '.npmrc', 'min-release-age="0.5" # days\n', 720, []],
    [
      'pnpm-lock',
      '.npmrc',
      'minimum-release-age=90\nminimum-release-age-exclude[]=a@1.2.0 || 1.2.1\nminimum-release-age-exclude[]=b\n',
      90,
      ['a@1.2.0 || 1.2.1', 'b'],
    ],
    [
      'pnpm-lock',
      'package.json',
      '{"pnpm":{"minimumReleaseAge":90,"minimumReleaseAgeExclude":"webpack"}}',
      90,
      ['webpack'],
    ],
  ])('%s: %s', async (format, file, text, minutes, except) => {
    expect((await statement(format, '{}', { [file]: text })).cooldown).toEqual({
      minutes,
      except,
      where: expect.stringContaining(file),
    });
  });

  it.each([
    ['npm-package-lock', '.npmrc', 'min-release-age=soon'],
    ['uv-lock', 'uv.toml', 'exclude-newer = "soon"'],
    ['npm-package-lock', '.npmrc', 'minimum-release-age=90'],
    ['pnpm-lock', 'pnpm-workspace.yaml', 'packages: []'],
  ])('%s: none in %s with %s', async (format, file, text) => {
    expect((await statement(format, '{}', { [file]: text })).cooldown).toBeUndefined();
  });

  it.each([
    ['npm-package-lock', '.npmrc', 'min-release-age=3\nbefore=2026-01-01'],
    ['uv-lock', 'uv.toml', 'exclude-newer = "2026-01-01T00:00:00Z"'],
    ['uv-lock', 'pyproject.toml', '[tool.uv]\nexclude-newer = 2026-01-01T00:00:00Z'],
  ])('%s: a date in %s', async (format, file, text) => {
    expect((await statement(format, '{}', { [file]: text })).cooldown).toMatchObject({
      minutes: 0,
      before: Date.parse('2026-01-01T00:00:00Z'),
      where: expect.stringContaining(file),
    });
  });

  it('is the one of the first file that states it, and a uv.toml replaces the manifest', async () => {
    const pnpm = { 'pnpm-workspace.yaml': 'packages: []', '.npmrc': 'minimum-release-age=90' };
    expect((await statement('pnpm-lock', '{}', pnpm)).cooldown).toMatchObject({ minutes: 90 });
    const both = { ...pnpm, 'pnpm-workspace.yaml': 'minimumReleaseAge: 60' };
    expect((await statement('pnpm-lock', '{}', both)).cooldown).toMatchObject({ minutes: 60 });
    const uv = { 'uv.toml': '', 'pyproject.toml': '[tool.uv]\nexclude-newer = "P1D"' };
    expect((await statement('uv-lock', '{}', uv)).cooldown).toBeUndefined();
  });

  it.each([
    ['yarn-lock', '__metadata:\n  version: 10\n', {}, 1_440],
    ['yarn-lock', '__metadata:\n  version: 9\n', {}, 0],
    ['yarn-lock', '# yarn lockfile v1\n', {}, 0],
    ['yarn-lock', '__metadata:\n  version: 10\n', { '.yarnrc.yml': 'npmMinimalAgeGate: "0"' }, 0],
    ['pnpm-lock', '', { 'package.json': '{"packageManager":"pnpm@11.0.0+sha512.0a"}' }, 1_440],
    ['pnpm-lock', '', { 'package.json': '{"packageManager":"pnpm@10.34.9"}' }, 0],
    ['pnpm-lock', '', { 'package.json': '{"packageManager":"npm@12.0.0"}' }, undefined],
    ['pnpm-lock', '', { 'package.json': '{}' }, undefined],
    ['pnpm-lock', 'importers:\n  .:\n    packageManagerDependencies:\n      pnpm: {}\n', {}, 1_440],
    ...(
      [
        ['^11.2.0', 1_440],
        ['^9 || ^10', 0],
        ['>=10', undefined],
      ] as const
    ).map(([version, minutes]) => {
      const manifest = { devEngines: { packageManager: { name: 'pnpm', version } } };
      return ['pnpm-lock', '', { 'package.json': JSON.stringify(manifest) }, minutes] as const;
    }),
    ['npm-package-lock', '{}', {}, undefined],
  ] as const)('%s by itself: %j with %j', async (format, text, files, minutes) => {
    expect((await statement(format, text, { ...files })).cooldown?.minutes).toBe(minutes);
  });

  it('by default has the excludes that are stated', async () => {
    const files = { '.yarnrc.yml': 'npmPreapprovedPackages: ["@own/*"]' };
    expect((await statement('yarn-lock', '__metadata:\n  version: 10\n', files)).cooldown).toEqual({
      minutes: 1_440,
      where: 'the default of the package manager',
      except: ['@own/*'],
    });
  });

  it('of a damaged file is none, and the reason is stated', async () => {
    const { cooldown, problems } = await statement('bun-lock', '{}', { 'bunfig.toml': '[install' });
    expect(cooldown).toBeUndefined();
    expect(problems).toEqual([expect.stringMatching(/^bunfig\.toml:1/)]);
  });
});
