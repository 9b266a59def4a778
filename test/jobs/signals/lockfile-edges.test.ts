import { expect, test } from 'vitest';
import { createMemoryInspections } from '../../../src/jobs/signals/inspect-now.ts';
import { inspectionsOf } from '../../../src/jobs/signals/new-packages.ts';
import { readWithCompanions } from '../../../src/lockfiles/read.ts';
import { DEFAULT_LIMITS } from '../../../src/lockfiles/read-as.ts';
import { systemOf } from '../../../src/model/lockfile/ecosystem.ts';

/** `app` requires `debug`, which requires `ms` and, optionally, `color`. */
const LOCKFILES: Readonly<Record<string, string>> = {
  'package-lock.json': JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { debug: '^4.0.0' } },
      'node_modules/debug': {
        version: '4.4.0',
        dependencies: { ms: '^2.1.3' },
        optionalDependencies: { color: '^1.0.0' },
      },
      'node_modules/ms': { version: '2.1.3' },
      'node_modules/color': { version: '1.0.0', optional: true },
    },
  }),
  'pnpm-lock.yaml': `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      debug:
        specifier: ^4.0.0
        version: 4.4.0
packages:
  color@1.0.0:
    resolution: {integrity: sha512-AAAA}
  debug@4.4.0:
    resolution: {integrity: sha512-BBBB}
  ms@2.1.3:
    resolution: {integrity: sha512-CCCC}
snapshots:
  color@1.0.0:
    optional: true
  debug@4.4.0:
    dependencies:
      ms: 2.1.3
    optionalDependencies:
      color: 1.0.0
  ms@2.1.3: {}
`,
  'yarn.lock': `# yarn lockfile v1


color@^1.0.0:
  version "1.0.0"

debug@^4.0.0:
  version "4.4.0"
  dependencies:
    ms "^2.1.3"
  optionalDependencies:
    color "^1.0.0"

ms@^2.1.3:
  version "2.1.3"
`,
  'berry/yarn.lock': `__metadata:
  version: 8

"app@workspace:.":
  version: 0.0.0-use.local
  resolution: "app@workspace:."
  dependencies:
    debug: "npm:^4.0.0"
  languageName: unknown
  linkType: soft

"color@npm:^1.0.0":
  version: 1.0.0
  resolution: "color@npm:1.0.0"
  languageName: node
  linkType: hard

"debug@npm:^4.0.0":
  version: 4.4.0
  resolution: "debug@npm:4.4.0"
  dependencies:
    color: "npm:^1.0.0"
    ms: "npm:^2.1.3"
  dependenciesMeta:
    color:
      optional: true
  languageName: node
  linkType: hard

"ms@npm:^2.1.3":
  version: 2.1.3
  resolution: "ms@npm:2.1.3"
  languageName: node
  linkType: hard
`,
  'bun.lock': `{
  "lockfileVersion": 1,
  "workspaces": { "": { "name": "app", "dependencies": { "debug": "^4.0.0" } } },
  "packages": {
    "color": ["color@1.0.0", "", {}, "sha512-AAAA"],
    "debug": ["debug@4.4.0", "", { "dependencies": { "ms": "^2.1.3" }, "optionalDependencies": { "color": "^1.0.0" } }, "sha512-BBBB"],
    "ms": ["ms@2.1.3", "", {}, "sha512-CCCC"],
  }
}
`,
  'Cargo.lock': `version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = ["debug"]

[[package]]
name = "color"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "debug"
version = "4.4.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
dependencies = ["color", "ms"]

[[package]]
name = "ms"
version = "2.1.3"
source = "registry+https://github.com/rust-lang/crates.io-index"
`,
  'poetry.lock': `[[package]]
name = "color"
version = "1.0.0"
optional = false
python-versions = "*"
files = []

[[package]]
name = "debug"
version = "4.4.0"
optional = false
python-versions = "*"
files = []

[package.dependencies]
color = ">=1.0.0"
ms = ">=2.1.3"

[[package]]
name = "ms"
version = "2.1.3"
optional = false
python-versions = "*"
files = []

[metadata]
lock-version = "2.1"
python-versions = "*"
content-hash = "0000000000000000000000000000000000000000000000000000000000000000"
`,
};

test.each(Object.keys(LOCKFILES))('an inspection knows what a package requires by %s', async (path) => {
  const content = Buffer.from(LOCKFILES[path] ?? '');
  const { packages } = await readWithCompanions({
    path,
    content,
    companions: [],
    limits: DEFAULT_LIMITS,
    format: undefined,
  });
  const resolutions = packages.map(({ ecosystem, name, version }) => {
    const system = systemOf(ecosystem);
    if (system === undefined) throw new Error(ecosystem);
    const record = {
      versionKey: { system, name, version },
      isDefault: true,
      isDeprecated: false,
      licenses: [],
      advisoryIds: [],
    };
    return { outcome: 'resolved' as const, record };
  });
  const inspections = { ...createMemoryInspections(), mode: 'before-judging' as const };
  const [job] = await inspectionsOf(
    { scan: 's', target: { id: 'app' }, requestedAt: '2026-01-01T00:00:00Z', isFirst: false },
    packages,
    resolutions,
    inspections,
  );
  const { packages: inspected } = job ?? { packages: [] };
  const requires = inspected.map(({ name, requires: names }) => [name, names?.toSorted()]).toSorted();
  expect(requires).toEqual([
    ['color', []],
    ['debug', ['color', 'ms']],
    ['ms', []],
  ]);
});
