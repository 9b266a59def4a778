import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Fault } from '../../src/embedded/faults.ts';
import type { IndexedPackage, InsightsData } from '../../src/embedded/insights/data-set.ts';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { lockhound } from './lockhound.ts';

type Needs = Readonly<Record<string, string>>;
type System = 'CARGO' | 'PYPI' | 'GO';

/** A requirement in the form of each system; a name with `?` may not apply. */
const DECLARED: Readonly<Record<System, (needs: Needs) => Record<string, unknown>>> = {
  CARGO: (needs) => ({
    cargo: {
      dependencies: Object.entries(needs).map(([name, requirement]) => ({
        name: name.replace('?', ''),
        requirement,
        kind: 'normal',
        optional: name.endsWith('?'),
      })),
    },
  }),
  PYPI: (needs) => ({
    pypi: {
      dependencies: Object.entries(needs).map(([name, versionSpecifier]) => ({
        projectName: name.replace('?', ''),
        versionSpecifier,
        environmentMarker: name.endsWith('?') ? 'extra == "more"' : '',
      })),
    },
  }),
  GO: (needs) => ({
    go: { directDependencies: Object.entries(needs).map(([name, requirement]) => ({ name, requirement })) },
  }),
};

/** A package by its versions, each with what it requires. No version has a resolved graph. */
function published(system: System, name: string, versions: Readonly<Record<string, Needs>>): IndexedPackage {
  return {
    system,
    name,
    default: Object.keys(versions).at(-1) ?? '',
    versions: Object.entries(versions).map(([version, needs]) => ({
      version,
      requirements: DECLARED[system](needs),
    })),
  };
}

const LEAF = { '1.0.0': {}, '1.5.0': {}, '2.0.0': {}, '2.1.0': {} };

function packagesOf(system: 'CARGO' | 'PYPI', [old, next]: readonly [string, string]): IndexedPackage[] {
  return [
    published(system, 'holder', { '1.0.0': { leaf: old }, '1.1.0': { leaf: old }, '1.2.0': { leaf: next } }),
    // Its next version keeps the old one by a package that no lockfile has.
    published(system, 'sly', {
      '1.0.0': { leaf: old },
      '1.1.0': { carrier: '>=1' },
      '1.2.0': { leaf: next, 'unused?': '>=1' },
    }),
    published(system, 'carrier', { '1.0.0': { leaf: old } }),
    published(system, 'above', { '1.0.0': { middle: '>=1' }, '1.1.0': { middle: '>=2' } }),
    published(system, 'middle', { '1.0.0': { leaf: old }, '2.0.0': { leaf: next } }),
    published(system, 'stuck', { '1.0.0': { leaf: old }, '1.1.0': { leaf: old } }),
    published(system, 'leaf', LEAF),
  ];
}

const AFFECTED = [
  ...(['CARGO', 'PYPI'] as const).flatMap((system) =>
    ['1.0.0', '1.5.0'].map((range) => ({ system, name: 'leaf', range })),
  ),
  ...['v1.0.0', 'v1.5.0'].map((range) => ({ system: 'GO' as const, name: 'example.com/leaf', range })),
];

const DATA: InsightsData = {
  packages: [
    ...packagesOf('PYPI', ['<2', '>=2']),
    ...packagesOf('CARGO', ['^1', '^2']),
    published('GO', 'example.com/holder', { 'v1.0.0': { 'example.com/leaf': 'v1.0.0' } }),
    published('GO', 'example.com/other', { 'v1.0.0': {} }),
    published('GO', 'example.com/leaf', { 'v1.0.0': {}, 'v1.5.0': {}, 'v1.6.0': {} }),
  ],
  advisories: AFFECTED.map((affected, index) => ({
    id: `GHSA-aaaa-bbbb-000${index}`,
    title: 'A flaw',
    aliases: [],
    score: 9,
    heldBack: false,
    affected: [affected],
  })),
};

const folder = mkdtempSync(join(tmpdir(), 'fix-requirements-'));
let service: InsightsService;

beforeAll(async () => {
  service = await startInsightsService({ data: DATA });
  process.env['LOCKHOUND_INSIGHTS_URL'] = service.url;
});
afterEach(() => service.faults.clear());
afterAll(async () => {
  delete process.env['LOCKHOUND_INSIGHTS_URL'];
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Locked packages by name, version 1.0.0 each, with the names that each requires. */
type Locked = Readonly<Record<string, readonly string[]>>;

function uvLock(direct: string, locked: Locked): Readonly<Record<string, string>> {
  const entries = Object.entries(locked).map(
    ([name, needs]) =>
      `[[package]]\nname = "${name}"\nversion = "1.0.0"\nsource = { registry = "https://pypi.org/simple" }\n` +
      `dependencies = [${needs.map((one) => `{ name = "${one}" }`)}]\n`,
  );
  const app = `[[package]]\nname = "app"\nversion = "0"\nsource = { virtual = "." }\ndependencies = [{ name = "${direct}" }]\n[package.metadata]\nrequires-dist = [{ name = "${direct}", specifier = ">=1" }]\n`;
  return { 'uv.lock': ['version = 1\nrequires-python = ">=3.9"\n', app, ...entries].join('\n') };
}

function cargoLock(direct: string, locked: Locked): Readonly<Record<string, string>> {
  const source = 'source = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "aa"\n';
  const entries = Object.entries(locked).map(
    ([name, needs]) =>
      `[[package]]\nname = "${name}"\nversion = "1.0.0"\n${source}dependencies = ${JSON.stringify(needs)}\n`,
  );
  const app = `[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = ["${direct}"]\n`;
  return {
    'Cargo.toml': `[package]\nname = "app"\nversion = "0.1.0"\n[dependencies]\n${direct} = "1"\n`,
    'Cargo.lock': ['version = 3\n', app, ...entries].join('\n'),
  };
}

async function fixOf(name: string, files: Readonly<Record<string, string>>) {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
  const { out } = await lockhound(['fix', place, '--json']);
  const { findings } = JSON.parse(out);
  expect(findings.length).toBeGreaterThan(0);
  return findings[0].fixes[0];
}

const requests = () => service.stats().requests.get('insights.getRequirements') ?? 0;
const LACKING: Fault = { kind: 'answer', status: 404 };
const without = () =>
  service.faults.inject(LACKING, { every: 1, when: ({ url }) => url.endsWith(':requirements') });

const SYSTEMS = [
  ['uv', uvLock, 'uv add', '=='],
  ['cargo', cargoLock, 'cargo add', '@'],
] as const;

it.each(SYSTEMS)(
  '%s: the first version of the direct dependency that permits the fixed one',
  async (name, lock, add, at) => {
    const fix = await fixOf(`${name}-direct`, lock('holder', { holder: ['leaf'], leaf: [] }));
    expect(fix).toMatchObject({
      kind: 'upgrade-direct',
      version: '2.0.0',
      changes: [{ name: 'holder', from: '1.0.0', to: '1.2.0', how: 'upgrade' }],
      commands: [`${add} holder${at}1.2.0`],
    });
    expect(fix.evidence.requirements).toMatchObject([{ by: 'holder@1.0.0', permits: false }]);
    expect(fix.evidence.graphs).toContainEqual({
      name: 'holder',
      version: '1.2.0',
      brings: ['2.1.0'],
      good: true,
    });
  },
);

it.each(SYSTEMS)(
  '%s: a version that brings the affected one by a new package is passed over',
  async (name, lock) => {
    const fix = await fixOf(`${name}-sly`, lock('sly', { sly: ['leaf'], leaf: [] }));
    expect(fix).toMatchObject({ kind: 'upgrade-direct', changes: [{ name: 'sly', to: '1.2.0' }] });
  },
);

it.each(SYSTEMS)('%s: a package in between that is still permitted is locked again', async (name, lock) => {
  const fix = await fixOf(`${name}-above`, lock('above', { above: ['middle'], middle: ['leaf'], leaf: [] }));
  expect(fix).toMatchObject({ kind: 'in-range', changes: [{ name: 'middle', to: '2.0.0', how: 're-lock' }] });
});

it.each(SYSTEMS)('%s: no version permits it', async (name, lock) => {
  const fix = await fixOf(`${name}-stuck`, lock('stuck', { stuck: ['leaf'], leaf: [] }));
  expect(['none', 'override']).toContain(fix.kind);
  expect(fix.reason).toContain('stuck 1.1.0 brings no good version of leaf either');
});

it.each(SYSTEMS)(
  '%s: a service without requirements is asked once, and it is not known',
  async (name, lock) => {
    let asked = 0;
    const when = ({ url }: { readonly url: string }) => {
      if (!url.endsWith(':requirements')) return false;
      asked += 1;
      return true;
    };
    service.faults.inject(LACKING, { every: 1, when });
    const fix = await fixOf(`${name}-without`, lock('holder', { holder: ['leaf'], leaf: [] }));
    expect(fix).toMatchObject({
      kind: 'unknown',
      reason: 'the index has no dependency graph of holder 1.0.0',
    });
    expect(asked).toBe(1);
  },
);

it.each(SYSTEMS)('%s: requirements that cannot be read prove nothing', async (name, lock) => {
  const body = '{"cargo":{"dependencies":[{"name":7}]},"pypi":{"dependencies":[{"projectName":7}]}}';
  const headers = { 'content-type': 'application/json' };
  const when = ({ url }: { readonly url: string }) => url.endsWith(':requirements');
  service.faults.inject({ kind: 'answer', status: 200, body, headers }, { every: 1, when });
  expect(await fixOf(`${name}-odd`, lock('holder', { holder: ['leaf'], leaf: [] }))).toMatchObject({
    kind: 'unknown',
  });
});

const GO_MOD = `module example.com/app

go 1.21

require (
	example.com/other v1.0.0
	example.com/holder v1.0.0
)

require example.com/leaf v1.0.0 // indirect
`;

it('go: every later version is permitted by the module that requires it', async () => {
  const before = requests();
  const fix = await fixOf('go', { 'go.mod': GO_MOD });
  expect(fix).toMatchObject({
    kind: 'in-range',
    version: 'v1.6.0',
    changes: [{ name: 'example.com/leaf', from: 'v1.0.0', to: 'v1.6.0', how: 're-lock' }],
    commands: ['go get example.com/leaf@v1.6.0', 'go mod tidy'],
  });
  expect(fix.evidence.requirements).toEqual([
    { by: 'example.com/holder@v1.0.0', requirement: 'v1.0.0', permits: true },
  ]);
  expect(requests() - before).toBe(2);
});

it('go: without requirements the fix is that of the module itself', async () => {
  without();
  expect(await fixOf('go-without', { 'go.mod': GO_MOD })).toMatchObject({
    kind: 'upgrade-direct',
    changes: [{ name: 'example.com/leaf', to: 'v1.6.0' }],
  });
});
