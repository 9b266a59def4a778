import { describe, expect, it } from 'vitest';
import { fixedCompanions } from '../../../src/lockfiles/companions.ts';
import { isOnlyForExceptions, readExceptions } from '../../../src/lockfiles/exceptions/catalog.ts';
import type { Exception } from '../../../src/model/scan/exception.ts';

function read(name: string, text: string): Promise<readonly Exception[]> {
  return readExceptions(name, { name, content: Buffer.from(text) });
}

/** Kind, line, subject, and the other parts that are asked for. */
async function brief(name: string, text: string, ...parts: (keyof Exception)[]) {
  const found = await read(name, text);
  return found.map((one) => [one.kind, one.line, one.subject, ...parts.map((part) => one[part])]);
}

it('leave the companions that formats name to the readers of these', async () => {
  const named = [...(await fixedCompanions())];
  expect(named).toContain('composer.json');
  expect(named.filter(isOnlyForExceptions)).toEqual([]);
});

describe('files of JavaScript', () => {
  it('package.json has overrides of npm, Yarn and pnpm', async () => {
    const text = `{
  "overrides": { "lodash": "4.17.21",
    "a": { ".": "1.0.0", "@s/b": "^2" } },
  "resolutions": {
    "**/c": "npm:d@1",
    "e@^1": "1.2.3", "j@npm:^1/k": "1", "j@npm:^1/@s/k@npm:2": "1" },
  "pnpm": {
    "overrides": { "f@>=1 <2": "2.0.0", "g@1>h": "3" },
    "auditConfig": { "ignoreGhsas": ["GHSA-aaaa-bbbb-cccc"] },
    "minimumReleaseAge": 4320,
    "minimumReleaseAgeExclude": ["i@1.2.3", "@corp/*"] }
}`;
    expect(await brief('package.json', text, 'package', 'range', 'value')).toEqual([
      ['override', 2, 'lodash', 'lodash', undefined, '4.17.21'],
      ['override', 3, 'a', 'a', undefined, '1.0.0'],
      ['override', 3, 'a>@s/b', '@s/b', undefined, '^2'],
      ['override', 5, '**/c', 'c', undefined, 'npm:d@1'],
      ['override', 6, 'e@^1', 'e', '^1', '1.2.3'],
      ['override', 6, 'j@npm:^1/k', 'k', undefined, '1'],
      ['override', 6, 'j@npm:^1/@s/k@npm:2', '@s/k', 'npm:2', '1'],
      ['override', 8, 'f@>=1 <2', 'f', '>=1 <2', '2.0.0'],
      ['override', 8, 'g@1>h', 'h', undefined, '3'],
      ['ignored-advisory', 9, 'GHSA-aaaa-bbbb-cccc', undefined, undefined, undefined],
      ['cooldown', 10, 'minimumReleaseAge', undefined, undefined, '3 days'],
      ['cooldown-exclude', 11, 'i@1.2.3', 'i', '1.2.3', undefined],
      ['cooldown-exclude', 11, '@corp/*', '@corp/*', undefined, undefined],
    ]);
  });

  it('pnpm-workspace.yaml has the same settings, with comments', async () => {
    const text = `
minimumReleaseAge: 1440
minimumReleaseAgeExclude:
  # the fix of CVE-2026-1
  - hono@4.1.2 || 4.1.3
trustPolicyExclude: ['chokidar@4.0.3']
overrides:
  lodash: ^4.17.21 # until request is gone
peerDependencyRules:
  allowedVersions:
    'a>eslint': '9'
auditConfig:
  ignoreCves: [CVE-2024-1]
`;
    expect(await brief('pnpm-workspace.yaml', text, 'reason')).toEqual([
      ['override', 8, 'lodash', 'until request is gone'],
      ['peer-rule', 11, 'a>eslint', undefined],
      ['ignored-advisory', 13, 'CVE-2024-1', undefined],
      ['trust-exclude', 6, 'chokidar@4.0.3', undefined],
      ['cooldown', 2, 'minimumReleaseAge', undefined],
      ['cooldown-exclude', 5, 'hono@4.1.2 || 4.1.3', 'the fix of CVE-2026-1'],
    ]);
  });

  it('.npmrc has registries and the cooldown, and its credentials are not read', async () => {
    const text = `# ours
@corp:registry=https://sam:secret@npm.corp.example/
//npm.corp.example/:_authToken=secret
min-release-age = 3 # days
min-release-age-exclude[] = left-pad
before = 2024
minimum-release-age-exclude = right-pad
`;
    const found = await read('.npmrc', text);
    expect(JSON.stringify(found)).not.toContain('secret');
    expect(found.map(({ kind, line, package: about, value }) => [kind, line, about, value])).toEqual([
      ['registry', 2, '@corp/*', 'https://npm.corp.example/'],
      ['cooldown', 4, undefined, '3 days'],
      ['cooldown-exclude', 5, 'left-pad', undefined],
      ['cooldown', 6, undefined, '2024'],
      ['cooldown-exclude', 7, 'right-pad', undefined],
    ]);
    expect(found.filter(({ reason }) => reason !== undefined)).toEqual([]);
  });

  it.each([
    [
      '.yarnrc.yml',
      "# npmAuthToken: secret\nnpmRegistryServer: 'https://sam:secret@npm.example/?token=secret'\n",
    ],
    [
      'bunfig.toml',
      '[install.scopes]\n# password = "secret"\nb = { url = "https://npm.example", token = "secret" }\n',
    ],
    [
      'uv.toml',
      '# UV_AUTH_TOKEN=secret\nindex = [{ name = "a", url = "https://sam:secret@pypi.example" }]\n',
    ],
    ['.npmrc', '#//npm.example/:_authToken=secret\nregistry=https://npm.example\n//a/:_password=secret\n'],
  ])('%s: no credentials are in what is read', async (name, text) => {
    const found = await read(name, text);
    expect(found.map(({ kind }) => kind)).toEqual(['registry']);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('.yarnrc.yml and bunfig.toml have cooldowns and registries', async () => {
    const yarn = `npmMinimalAgeGate: 7d
npmPreapprovedPackages: "@corp/*"
npmAuditIgnoreAdvisories: [GHSA-aaaa-bbbb-cccc]
npmScopes:
  corp:
    npmRegistryServer: https://npm.corp.example
`;
    expect(await brief('.yarnrc.yml', yarn, 'value', 'package')).toEqual([
      ['cooldown', 1, 'npmMinimalAgeGate', '7 days', undefined],
      ['cooldown-exclude', 2, '@corp/*', undefined, '@corp/*'],
      ['ignored-advisory', 3, 'GHSA-aaaa-bbbb-cccc', undefined, undefined],
      ['registry', 6, 'npmRegistryServer', 'https://npm.corp.example', '@corp/*'],
    ]);
    const bun = '[install]\nminimumReleaseAge = 86400\nminimumReleaseAgeExcludes = ["a"]\n';
    expect(await brief('bunfig.toml', bun, 'value')).toEqual([
      ['cooldown', 2, 'minimumReleaseAge', '1 day'],
      ['cooldown-exclude', 3, 'a', undefined],
    ]);
  });
});

describe('files of other package managers', () => {
  it('pyproject.toml and uv.toml have overrides, constraints and cutoffs', async () => {
    const text = `[tool.uv]
# CVE-2024-35195
override-dependencies = ["requests[socks]>=2.32 ; python_version > '3'"]
constraint-dependencies = ["Grpc_IO<1.65"]
exclude-newer = "P7D"
exclude-newer-package = { torch = "2026-01-01T00:00:00Z" }
`;
    expect(await brief('pyproject.toml', text, 'package', 'value')).toEqual([
      [
        ...['override', 3, "requests[socks]>=2.32 ; python_version > '3'"],
        ...['requests', ">=2.32 ; python_version > '3'"],
      ],
      ['constraint', 4, 'Grpc_IO<1.65', 'grpc-io', '<1.65'],
      ['cooldown', 5, 'exclude-newer', undefined, '7 days'],
      ['cooldown-exclude', 6, 'torch', 'torch', '2026-01-01T00:00:00Z'],
    ]);
    expect(await brief('uv.toml', 'exclude-newer = "2026-01-01"\n', 'value')).toEqual([
      ['cooldown', 1, 'exclude-newer', '2026-01-01'],
    ]);
  });

  it('constraints.txt, go.mod and Cargo.toml', async () => {
    const constraints = '-r base.txt\n# old glibc\nnumpy<2 # ABI\n\nscipy==1.11\n';
    expect(await brief('constraints.txt', constraints, 'reason')).toEqual([
      ['constraint', 3, 'numpy<2', 'ABI'],
      ['constraint', 5, 'scipy==1.11', undefined],
    ]);
    const go = `module a
go 1.22
require b.example/b v1.0.0
replace (
	b.example/b => ../b // local
	c.example/c v1.0.0 => d.example/d v1.2.0
)
exclude e.example/e v1.1.0
`;
    expect(await brief('go.mod', go, 'package', 'range', 'value', 'reason')).toEqual([
      ['source', 5, 'b.example/b', 'b.example/b', undefined, '../b', 'local'],
      ['source', 6, 'c.example/c v1.0.0', 'c.example/c', 'v1.0.0', 'd.example/d v1.2.0', undefined],
      ['excluded-version', 8, 'e.example/e v1.1.0', 'e.example/e', 'v1.1.0', undefined, undefined],
    ]);
    const cargo = `[patch.crates-io]
# until 1.12 is out
hyper = { git = "https://git.example/hyper", rev = "1" }
[replace]
"foo:0.1.0" = { path = "../foo" }
`;
    expect(await brief('Cargo.toml', cargo, 'package', 'value', 'reason')).toEqual([
      ['source', 3, 'hyper', 'hyper', 'https://git.example/hyper', 'until 1.12 is out'],
      ['source', 5, 'foo:0.1.0', 'foo', '../foo', undefined],
    ]);
  });
});

describe('lists of scanners', () => {
  it('.trivyignore, as lines and as YAML', async () => {
    const lines = '# accepted\nCVE-2024-1 exp:2026-01-02\nAVD-DS-0002\n';
    expect(await brief('.trivyignore', lines, 'until', 'reason')).toEqual([
      ['ignored-advisory', 2, 'CVE-2024-1', '2026-01-02', 'accepted'],
      ['ignored-advisory', 3, 'AVD-DS-0002', undefined, undefined],
    ]);
    const yaml = `vulnerabilities:
  - id: CVE-2024-1
    statement: not reachable
    expired_at: 2026-01-02
secrets:
  - id: aws-key
`;
    expect(await brief('.trivyignore.yaml', yaml, 'until', 'reason')).toEqual([
      ['ignored-advisory', 2, 'CVE-2024-1', '2026-01-02', 'not reachable'],
      ['ignored-package', 6, 'aws-key', undefined, undefined],
    ]);
  });

  it('composer.json and .bundler-audit.yml', async () => {
    const composer = (ignore: string) => `{\n"config": { "audit": {\n"ignore": ${ignore}\n} } }`;
    const ids = '["CVE-2024-1",\n"PKSA-a"]';
    expect(await brief('composer.json', composer(ids), 'advisory')).toEqual([
      ['ignored-advisory', 3, 'CVE-2024-1', 'CVE-2024-1'],
      ['ignored-advisory', 4, 'PKSA-a', 'PKSA-a'],
    ]);
    expect(
      await brief('composer.json', composer('{"CVE-2024-1": "not reachable"}'), 'advisory', 'reason'),
    ).toEqual([['ignored-advisory', 3, 'CVE-2024-1', 'CVE-2024-1', 'not reachable']]);
    expect(
      await brief('.bundler-audit.yml', 'ignore:\n  - CVE-2024-1 # later\n', 'advisory', 'reason'),
    ).toEqual([['ignored-advisory', 2, 'CVE-2024-1', 'CVE-2024-1', 'later']]);
  });

  it('osv-scanner.toml, .grype.yaml, .snyk, audit.toml and deny.toml', async () => {
    const osv = `[[IgnoredVulns]]
id = "GO-2022-0968"
ignoreUntil = 2022-11-09
reason = "No SSH"
[[PackageOverrides]]
name = "lib"
version = "1.0.0"
ecosystem = "Go"
ignore = true
`;
    expect(await brief('osv-scanner.toml', osv, 'until', 'reason', 'package')).toEqual([
      ['ignored-advisory', 2, 'GO-2022-0968', '2022-11-09', 'No SSH', undefined],
      ['ignored-package', 6, 'lib', undefined, undefined, 'lib'],
    ]);
    const grype =
      'ignore:\n  - vulnerability: CVE-2024-1\n    package: { name: openssl }\n  - fix-state: unknown\n  - vex-status: fixed\n  - package:\n      type: npm\n';
    expect(await brief('.grype.yaml', grype, 'package')).toEqual([
      ['ignored-advisory', 2, 'CVE-2024-1', 'openssl'],
      ['ignored-package', 4, 'fix-state: unknown', undefined],
      ['ignored-package', 5, 'vex-status: fixed', undefined],
      ['ignored-package', 7, 'type: npm', undefined],
    ]);
    const snyk = `ignore:
  SNYK-JS-LODASH-1:
    - '*':
        reason: no fix
        expires: 2026-01-01T00:00:00.000Z
    - a > b:
        expires: 2026-03-01T00:00:00.000Z
`;
    expect(await brief('.snyk', snyk, 'until', 'reason')).toEqual([
      ['ignored-advisory', 2, 'SNYK-JS-LODASH-1', '2026-03-01T00:00:00.000Z', 'no fix'],
    ]);
    const deny = `[advisories]
ignore = [
  "RUSTSEC-2024-0436", # paste
  { id = "RUSTSEC-2025-0141", reason = "bincode" },
  { crate = "old@1.0.0", reason = "yanked" },
]
[licenses]
exceptions = [{ allow = ["EPL-2.0"], name = "colored_json", version = "*" }]
`;
    expect(await brief('deny.toml', deny, 'reason', 'package', 'value')).toEqual([
      ['ignored-advisory', 3, 'RUSTSEC-2024-0436', 'paste', undefined, undefined],
      ['ignored-advisory', 4, 'RUSTSEC-2025-0141', 'bincode', undefined, undefined],
      ['ignored-package', 5, 'old@1.0.0', 'yanked', 'old', undefined],
      ['ignored-package', 8, 'colored_json', undefined, 'colored_json', 'EPL-2.0'],
    ]);
    const tree = '[bans]\nskip-tree = [{ name = "windows-sys", version = "<=0.52" }]\n';
    expect(await brief('deny.toml', tree, 'package', 'range')).toEqual([
      ['ignored-package', 2, 'windows-sys', 'windows-sys', '<=0.52'],
    ]);
    const trivy =
      'licenses:\n  - id: GPL-3.0\n    statement: our own\nmisconfigurations:\n  - id: KSV-0014\n';
    expect(await brief('.trivyignore.yaml', trivy, 'reason', 'package')).toEqual([
      ['ignored-package', 5, 'KSV-0014', undefined, undefined],
      ['ignored-package', 2, 'GPL-3.0', 'our own', undefined],
    ]);
  });
});

describe('rules for updates', () => {
  it('dependabot.yml, by package manager', async () => {
    const text = `version: 2
updates:
  - package-ecosystem: npm
    cooldown: { default-days: 7, exclude: [left-pad] }
    ignore:
      # breaks our types
      - dependency-name: "@types/*"
        versions: [">=20"]
      - dependency-name: "*"
        update-types: ["version-update:semver-major"]
  - package-ecosystem: docker
    open-pull-requests-limit: 0
`;
    expect(await brief('.github/dependabot.yml', text, 'ecosystem', 'range', 'value', 'reason')).toEqual([
      ['update-rule', 7, '@types/*', 'npm', '>=20', undefined, 'breaks our types'],
      ['update-rule', 9, '*', 'npm', undefined, 'version-update:semver-major', undefined],
      ['cooldown', 4, 'npm', 'npm', undefined, 'default 7 days', undefined],
      ['cooldown-exclude', 4, 'left-pad', 'npm', undefined, undefined, undefined],
      ['update-rule', 12, 'docker', undefined, undefined, '0', undefined],
    ]);
  });

  it('renovate.json5, with comments, trailing commas and quotes of its own', async () => {
    const text = `{
  minimumReleaseAge: '3 days', // all
  ignoreDeps: [
    /* by hand */
    'vue',
    // it's "pinned"
    'lru-cache',
  ],
  packageRules: [
    { matchPackageNames: ['node'], allowedVersions: '<23', description: 'LTS' },
    { matchManagers: ['npm'], matchUpdateTypes: ['major'], enabled: false },
    { matchPackageNames: ['own'], minimumReleaseAge: null },
    { matchPackageNames: ['b'], groupName: 'group' },
    { matchManagers: ['npm'], ignoreDeps: ['c'] },
  ],
  docker: { enabled: false },
}
`;
    expect(await brief('renovate.json5', text, 'value', 'reason')).toEqual([
      ['cooldown', 2, 'minimumReleaseAge', '3 days', 'all'],
      ['update-rule', 5, 'vue', undefined, undefined],
      ['update-rule', 7, 'lru-cache', undefined, 'it\'s "pinned"'],
      ['update-rule', 10, 'node', 'allowedVersions <23', 'LTS'],
      ['update-rule', 11, 'matchManagers npm; matchUpdateTypes major', 'no major updates', undefined],
      ['cooldown-exclude', 12, 'own', 'null', undefined],
      ['update-rule', 14, 'c', 'ignoreDeps', undefined],
      ['update-rule', 16, 'docker', 'false', undefined],
    ]);
  });

  it('.renovaterc, with the former names of settings, and for everything', async () => {
    const text = `{
  "enabled": false,
  "stabilityDays": 3,
  "ignorePaths": ["docs/**"],
  "packageRules": [
    { "depTypeList": ["devDependencies"], "enabled": false },
    { "packageNames": ["node"], "updateTypes": ["major"], "enabled": false },
    { "matchPackagePatterns": ["^eslint"], "excludePackageNames": ["eslint-x"], "stabilityDays": 0 }
  ]
}
`;
    const rules = [
      ['cooldown', 3, 'stabilityDays', '3 days', undefined],
      ['update-rule', 4, 'docs/**', undefined, undefined],
      ['update-rule', 6, 'depTypeList devDependencies', 'no updates', undefined],
      ['update-rule', 7, 'node', 'no major updates', 'node'],
      [
        ...['cooldown-exclude', 8, 'matchPackagePatterns ^eslint; excludePackageNames eslint-x'],
        ...['0 days', undefined],
      ],
      ['update-rule', 2, '*', 'false', undefined],
    ];
    for (const name of ['.renovaterc', '.renovaterc.json'])
      expect(await brief(name, text, 'value', 'package')).toEqual(rules);
  });
});

describe('a file that is not as expected', () => {
  it.each([
    ['package.json', '{'],
    ['package.json', '[]'],
    ['pnpm-workspace.yaml', '\tx: ['],
    ['deny.toml', '= 1'],
    ['renovate.json5', '{ a: ['],
    ['.snyk', '\u0000'],
    ['.trivyignore', '\u0000'],
  ])('%s is named with the reason', async (name, text) => {
    const [one, ...others] = await read(name, text);
    expect([one?.kind, one?.subject, others]).toEqual(['unread', name, []]);
    expect(one?.reason).toContain(name);
  });

  it('is too large, or could not be opened', async () => {
    const [large] = await read('.npmrc', ' '.repeat(1_048_577));
    expect(large).toMatchObject({ kind: 'unread', reason: 'larger than 1048576 bytes' });
    const error = { code: 'unreadable', message: '.npmrc: no permission' };
    const [closed] = await readExceptions('a/.npmrc', { name: '.npmrc', error });
    expect(closed).toMatchObject({ kind: 'unread', path: 'a/.npmrc', reason: error.message });
  });

  it('nests deeper than is read: the rest is one entry', async () => {
    const text = `{"overrides":${'{"a":'.repeat(30)}"1"${'}'.repeat(31)}`;
    const [one, ...others] = await read('package.json', text);
    expect([one?.subject, one?.value, others]).toEqual([Array(17).fill('a').join('>'), undefined, []]);
  });

  it('has more entries than are read, and says so', async () => {
    const overrides = Object.fromEntries(Array.from({ length: 2_100 }, (_, at) => [`p${at}`, '1']));
    const found = await read('package.json', JSON.stringify({ overrides }));
    expect([found.length, found.at(-1)?.kind]).toEqual([2_001, 'unread']);
    expect(found.at(-1)?.reason).toContain('100 more');
  });

  it('has one long line: it is searched for the first entries alone', async () => {
    const overrides = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`p${at}`, '1']));
    const found = await read('package.json', JSON.stringify({ overrides }));
    expect([found[0]?.line, found[1_999]?.subject, found[1_999]?.line]).toEqual([1, 'p1999', undefined]);
  });

  it('has its names in escapes', async () => {
    expect(await brief('package.json', '{"overr\\u0069des":{"a":"1"}}')).toEqual([['override', 1, 'a']]);
  });

  it.each([
    ['.npmrc', 'registry=https://user:S3CRET'],
    ['.npmrc', 'registry=https://user:S3CRET@host/'],
    ['.trivyignore', '//registry.example.com/:_authToken=S3CRET\n_password = S3CRET'],
    ['constraints.txt', 'y = { token = "S3CRET" }'],
    ['osv-scanner.toml', '[[IgnoredVulns]]\nid = "A"\nreason = "secret: S3CRET"'],
  ])('%s has no credentials of others or of a part of it', async (name, text) => {
    expect(JSON.stringify(await read(name, text))).not.toContain('S3CRET');
    expect(await brief('.npmrc', 'registry=http://host:8080', 'value')).toEqual([
      ['registry', 1, 'registry', 'http://host:8080'],
    ]);
  });

  it.each([
    ['package.json', '{"overrides":1,"resolutions":[1],"pnpm":{"auditConfig":{"ignoreCves":{"a":1}}}}'],
    ['package.json', '{"overrides":{"a":1,"b":null,"c":{"d":[]},"":"1","__proto__":{"x":"1"}}}'],
    ['.github/dependabot.yml', 'updates: [1, { ignore: [x, { dependency-name: [] }] }]'],
    ['renovate.json', '{"packageRules":[1,{"matchPackageNames":"x","enabled":false}],"ignoreDeps":{}}'],
    ['.snyk', 'ignore: { A: 1, B: [1, { "*": 2 }] }'],
    ['osv-scanner.toml', 'IgnoredVulns = 1\nPackageOverrides = [{}, { name = 1 }]\n'],
    ['.grype.yaml', 'ignore: [1, {}, { vulnerability: [] }]'],
  ])('%s with values of other types is read as far as it states something', async (name, text) => {
    for (const { subject } of await read(name, text)) expect(typeof subject).toBe('string');
  });
});
