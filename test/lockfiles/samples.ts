// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Maven writes its references like that

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const SHA256 = 'ab'.repeat(32);

/**
 * A small file of each format, with all parts that its reader reads, by the name of the format. The names of other
 * versions have the version in brackets.
 */
export const SAMPLES: Readonly<Record<string, string>> = {
  'npm-package-lock': JSON.stringify({
    name: 'r',
    lockfileVersion: 3,
    packages: {
      '': { name: 'r', dependencies: { a: '^1' }, devDependencies: { b: '1' }, workspaces: ['w'] },
      'node_modules/a': {
        version: '1.0.0',
        resolved: 'https://registry.yarnpkg.com/a/-/a-1.0.0.tgz',
        integrity: 'sha512-YWJj',
        dependencies: { b: '1' },
        optionalDependencies: { o: '1' },
      },
      'node_modules/a/node_modules/b': { name: '@s/b', version: '2.0.0', bundled: true },
      'node_modules/b': { version: '1.0.0', dev: true, peerDependencies: { a: '1' } },
      'node_modules/o': { version: '1.0.0', optional: true, resolved: `git+ssh://git@h/o.git#${COMMIT}` },
      'node_modules/w': { resolved: 'w', link: true },
      w: { name: 'w', version: '1.0.0', dependencies: { a: '1' } },
    },
  }),
  'npm-package-lock (v1)': JSON.stringify({
    name: 'r',
    lockfileVersion: 1,
    dependencies: {
      a: {
        version: '1.0.0',
        resolved: 'https://registry.yarnpkg.com/a/-/a-1.0.0.tgz',
        requires: { b: '1' },
        dependencies: { b: { version: 'npm:c@2.0.0', dev: true } },
      },
      b: { version: `github:o/b#${COMMIT}`, from: 'b@github:o/b', optional: true },
      f: { version: 'file:../f', bundled: true },
    },
  }),
  'yarn-lock': `# yarn lockfile v1


"@s/a@^1.0.0", "@s/a@^1.0.1":
  version "1.2.0"
  resolved "https://registry.yarnpkg.com/@s/a/-/a-1.2.0.tgz#${COMMIT}"
  integrity sha512-YWJj
  dependencies:
    b "^2.0.0"
  optionalDependencies:
    "o" "^1.0.0"

"alias@npm:b@^2.0.0", b@^2.0.0:
  version "2.0.0"
  resolved "https://codeload.github.com/o/b/tar.gz/${COMMIT}"

o@^1.0.0:
  version "1.0.0"
`,
  'yarn-lock (berry)': `__metadata:
  version: 8
  cacheKey: 10c0

"@s/a@npm:^1.0.0, @s/a@npm:^1.0.1":
  version: 1.2.0
  resolution: "@s/a@npm:1.2.0"
  dependencies:
    b: "npm:^2.0.0"
    o: ^1.0.0
  dependenciesMeta:
    o:
      optional: true
  checksum: 10c0/${'ab'.repeat(64)}
  languageName: node

"b@npm:^2.0.0":
  version: 2.0.0
  resolution: "b@npm:2.0.0::__archiveUrl=https%3A%2F%2Fh%2Fb.tgz"

"o@npm:^1.0.0":
  version: 1.0.0
  resolution: "o@https://h/o.git#commit=${COMMIT}"

"r@workspace:.":
  version: 0.0.0-use.local
  resolution: "r@workspace:."
  dependencies:
    "@s/a": "npm:^1.0.0"
`,
  'pnpm-lock': `lockfileVersion: '9.0'

importers:
  .:
    dependencies:
      '@s/a':
        specifier: ^1.0.0
        version: 1.2.0(p@3.0.0)
    devDependencies:
      p:
        specifier: ^3.0.0
        version: 3.0.0

packages:
  '@s/a@1.2.0':
    resolution: {integrity: sha512-YWJj}
  o@file:../o:
    resolution: {directory: ../o, type: directory}
  p@3.0.0:
    resolution: {integrity: sha512-YWJj, tarball: https://h/p.tgz}

snapshots:
  '@s/a@1.2.0(p@3.0.0)':
    dependencies:
      p: 3.0.0
    optionalDependencies:
      o: file:../o
  o@file:../o: {}
  p@3.0.0: {}
`,
  'pnpm-lock (v5)': `lockfileVersion: 5.3
specifiers:
  a: ^1.0.0
dependencies:
  a: 1.0.0_p@2.0.0
packages:
  /a/1.0.0_p@2.0.0:
    resolution: {integrity: sha512-YWJj}
    dependencies:
      p: 2.0.0
    dev: false
  /p/2.0.0:
    resolution: {integrity: sha512-YWJj}
    dev: true
    optional: true
  github.com/o/g/${COMMIT}:
    resolution: {commit: ${COMMIT}, repo: 'https://github.com/o/g', type: git}
    name: g
    version: 4.0.0
`,
  'bun-lock': `{
  "lockfileVersion": 1,
  "workspaces": {
    "": {
      "name": "r",
      "dependencies": { "a": "^1", },
      "devDependencies": { "t": "1" },
    },
    "w": { "name": "w", "optionalDependencies": { "a": "2" } },
  },
  "packages": {
    "a": ["a@1.0.0", "", { "dependencies": { "t": "^1" }, "peerDependencies": { "g": "*" }, "optionalPeers": ["g"] }, "sha512-YWJj"],
    "g": ["g@github:o/g#0123456", {}, "o-g-0123456"],
    "t": ["t@1.0.0", "https://h/t.tgz", {}, "sha512-YWJj"],
    "w": ["w@workspace:w"],
    "w/a": ["@s/a@2.0.0", "", {}, "sha512-YWJj"],
  }
}
`,
  'requirements-txt': `# x
-r other.txt
-c constraints.txt
--index-url https://h/simple
a[x]==1.0 ; python_version > "3" \\
    --hash=sha256:${SHA256}  # via b
b>=1,<2
c @ git+https://h/c.git@${COMMIT}
-e git+https://h/d.git#egg=d
./e-1.0.tar.gz
`,
  'poetry-lock': `[[package]]
name = "a"
version = "1.0"
optional = true
groups = ["main", "dev"]
files = [{file = "a-1.0.tar.gz", hash = "sha256:${SHA256}"}]

[package.dependencies]
B = {version = "*", optional = true}

[[package]]
name = "b"
version = "1.0"
category = "dev"

[package.source]
type = "git"
url = "https://h/b.git"
resolved_reference = "${COMMIT}"

[metadata]
lock-version = "2.1"

[metadata.files]
b = [{file = "b-1.0.tar.gz", hash = "sha256:${SHA256}"}]
`,
  'deno-lock': JSON.stringify(
    {
      version: '5',
      specifiers: { 'jsr:@s/m@1': '1.0.0', 'npm:a@^1': '1.0.0_c@2.0.0', 'npm:t@1': '1.0.0' },
      jsr: { '@s/m@1.0.0': { integrity: SHA256, dependencies: ['npm:t@1'] } },
      npm: {
        'a@1.0.0_c@2.0.0': {
          integrity: 'sha512-YWJj',
          dependencies: ['alias@npm:b@1.0.0', 'c'],
        },
        'b@1.0.0': {
          integrity: 'sha512-YWJj',
          optionalDependencies: ['c'],
          tarball: 'https://h/b/-/b-1.0.0.tgz',
        },
        'c@2.0.0': { integrity: 'sha512-YWJj' },
        't@1.0.0': { integrity: 'sha512-YWJj' },
      },
      workspace: {
        dependencies: ['jsr:@s/m@1'],
        members: { w: { packageJson: { dependencies: ['npm:a@^1'] } } },
      },
    },
    null,
    2,
  ),
  'pipfile-lock': JSON.stringify({
    _meta: { sources: [{ name: 'pypi', url: 'https://h/simple' }] },
    default: {
      a: { version: '==1.0', index: 'pypi', hashes: [`sha256:${SHA256}`] },
      g: { git: 'https://h/g.git', ref: COMMIT },
      p: { path: './p', editable: true },
    },
    develop: { a: { version: '==1.0' }, f: { file: 'https://h/f.zip' } },
    docs: { d: { version: '==2.0' } },
  }),
  'pdm-lock': `[metadata]
groups = ["default", "dev"]
lock_version = "4.5"

[[package]]
name = "a"
version = "1.0"
groups = ["default"]
dependencies = ["b>=1; python_version > '3'"]
files = [{file = "a-1.0.tar.gz", hash = "sha256:${SHA256}"}]

[[package]]
name = "b"
version = "1.0"
sections = ["dev"]
git = "https://h/b.git"
revision = "${COMMIT}"

[[package]]
name = "b"
version = "2.0"
path = "./b"
`,
  'uv-lock': `version = 1
requires-python = ">=3.8"

[manifest]
members = ["r"]
requirements = [{ name = "b" }]

[[package]]
name = "a"
version = "1.0"
source = { registry = "https://h/simple" }
dependencies = [{ name = "b", version = "1.0" }]
sdist = { url = "https://h/a.tar.gz", hash = "sha256:${SHA256}" }
wheels = [{ url = "https://h/a.whl", hash = "sha256:${SHA256}" }]

[package.optional-dependencies]
x = [{ name = "b" }]

[[package]]
name = "b"
version = "1.0"
source = { git = "https://h/b?rev=main#${COMMIT}" }

[[package]]
name = "r"
version = "0"
source = { editable = "." }
dependencies = [{ name = "a", extra = ["x"] }]

[package.dev-dependencies]
dev = [{ name = "b" }]
`,
  'pylock-toml': `lock-version = "1.0"
created-by = "x"
default-groups = ["default"]

[[packages]]
name = "a"
version = "1.0"
marker = "'x' in extras or 'dev' in dependency_groups"
index = "https://h/simple"
dependencies = [{ name = "b" }]
sdist = { name = "a.tar.gz", hashes = { sha256 = "${SHA256}" } }

[[packages]]
name = "b"

[packages.vcs]
type = "git"
url = "https://h/b"
commit-id = "${COMMIT}"

[[packages]]
name = "r"
directory = { path = "." }
`,
  'go-mod': `module example.com/r

go 1.16

require (
	example.com/a v1.0.0 // indirect
	"example.com/b" v2.0.0+incompatible
)

require example.com/c v0.0.0-20200101000000-0123456789ab

replace example.com/a v1.0.0 => example.com/d v1.1.0

replace example.com/c => ../c

exclude example.com/a v0.9.0

retract [v1.0.0, v1.1.0] // x
`,
  'go-sum': `example.com/a v1.0.0 h1:${'a'.repeat(43)}=
example.com/a v1.0.0/go.mod h1:${'a'.repeat(43)}=
example.com/b v1.0.0/go.mod h1:${'a'.repeat(43)}=
`,
  'cargo-lock': `version = 3

[[package]]
name = "a"
version = "1.0.0"
source = "registry+https://h/index"
checksum = "${SHA256}"
dependencies = ["b 1.0.0 (git+https://h/b?branch=x)"]

[[package]]
name = "b"
version = "1.0.0"
source = "git+https://h/b?branch=x#${COMMIT}"

[[package]]
name = "r"
version = "0.1.0"
dependencies = ["a"]

[metadata]
"checksum b 1.0.0 (git+https://h/b?branch=x#${COMMIT})" = "<none>"
`,
  'gemfile-lock': `GIT
  remote: https://h/g.git
  revision: ${COMMIT}
  specs:
    g (1.0)
      a (~> 1.0)

PATH
  remote: .
  specs:
    r (0.1)
      a

GEM
  remote: https://rubygems.org/
  specs:
    a (1.0-java)
    a (1.0)

PLATFORMS
  java
  ruby

DEPENDENCIES
  g!
  r!

CHECKSUMS
  a (1.0) sha256=${SHA256}

BUNDLED WITH
   2.6.0
`,
  'maven-pom-xml': `<?xml version="1.0"?><project xmlns="x"><parent><groupId>g</groupId><artifactId>p</artifactId>
<version>1</version><relativePath>../pom.xml</relativePath></parent><artifactId>a</artifactId><properties><v>1</v></properties>
<dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>m</artifactId><version>\${v}</version>
</dependency></dependencies></dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>m</artifactId>
<scope>test</scope><optional>true</optional></dependency></dependencies></project>`,
  'gradle-lockfile': '# x\ng:a:1=compileClasspath,testRuntimeClasspath\nempty=\n',
  'gradle-verification-metadata': `<verification-metadata><components><component group="g" name="a" version="1">
<artifact name="a.jar"><sha256 value="ab"><also-trust value="cd"/></sha256></artifact></component></components></verification-metadata>`,
  'nuget-packages-lock': JSON.stringify({
    version: 1,
    dependencies: {
      net8: {
        A: { type: 'Direct', resolved: '1', contentHash: 'x', dependencies: { B: '1' } },
        B: { type: 'Project', dependencies: { A: '1' } },
      },
    },
  }),
  'nuget-packages-config': '<packages><package id="A" version="1" developmentDependency="true"/></packages>',
  'nuget-deps-json': JSON.stringify({
    runtimeTarget: { name: 't' },
    targets: { t: { 'A/1': { dependencies: { B: '1' }, runtime: {} }, 'B/1': { runtime: {} } } },
    libraries: { 'A/1': { type: 'project' }, 'B/1': { type: 'package', sha512: 'sha512-x' } },
  }),
  'paket-lock': `STORAGE: NONE
NUGET
  remote: https://api.nuget.org/v3/index.json
    A (5.1) - restriction: >= net45
      B (>= 4.3.2) - restriction: >= net45
    B (4.3.4)
GITHUB
  remote: o/g
    src/a.fs (${COMMIT})
      B
GIT
  remote: https://h/r.git
     (${COMMIT})
      build: build.cmd
HTTP
  remote: https://h
    f.fs (/f.fs)

GROUP Test
NUGET
  remote: https://api.nuget.org/v3/index.json
    B (5.0.0-beta)
`,
  'composer-lock': JSON.stringify({
    _readme: ['This file locks the dependencies of your project to a known state'],
    packages: [
      {
        name: 'o/a',
        version: 'v1.0.0',
        source: { type: 'git', url: 'https://h/o/a.git', reference: COMMIT },
        dist: { type: 'zip', url: 'https://h/a.zip', reference: COMMIT, shasum: 'ab'.repeat(20) },
        require: { php: '>=8', 'o/log-implementation': '1', 'O/B': '^1' },
        'notification-url': 'https://packagist.org/downloads/',
      },
      {
        name: 'o/b',
        version: '1.1.0',
        dist: { type: 'path', url: '../b' },
        provide: { 'o/log-implementation': '1' },
      },
    ],
    'packages-dev': [
      {
        name: 'o/d',
        version: 'dev-main',
        source: { type: 'git', url: 'https://h/d.git', reference: COMMIT },
      },
    ],
  }),
  'pubspec-lock': `# Generated by pub
# See https://dart.dev/tools/pub/glossary#lockfile
packages:
  a:
    dependency: "direct main"
    description:
      name: a
      sha256: "${SHA256}"
      url: "https://pub.dev"
    source: hosted
    version: "1.0.0+1"
  flutter:
    dependency: transitive
    description: flutter
    source: sdk
    version: "0.0.0"
  g:
    dependency: "direct dev"
    description:
      path: "."
      ref: main
      resolved-ref: "${COMMIT}"
      url: "https://h/g.git"
    source: git
    version: "2.0.0"
  p:
    dependency: "direct overridden"
    description:
      path: "../p"
      relative: true
    source: path
    version: "0.0.1"
sdks:
  dart: ">=3.0.0 <4.0.0"
`,
  'package-resolved': JSON.stringify({
    pins: [
      {
        identity: 'a',
        kind: 'remoteSourceControl',
        location: 'https://github.com/o/a.git',
        state: { revision: COMMIT, version: '1.2.0' },
      },
      {
        identity: 'b',
        kind: 'remoteSourceControl',
        location: 'https://h/o/b',
        state: { branch: 'main', revision: COMMIT },
      },
      { identity: 'o.c', kind: 'registry', location: '', state: { version: '2.0.0' } },
    ],
    version: 2,
  }),
  'package-resolved (v1)': JSON.stringify({
    object: {
      pins: [
        {
          package: 'A',
          repositoryURL: 'https://github.com/o/a',
          state: { branch: null, revision: COMMIT, version: '1.0' },
        },
        { package: 'B', repositoryURL: 'https://h/o/b', state: { branch: 'main', revision: COMMIT } },
      ],
    },
    version: 1,
  }),
  'cartfile-resolved': `binary "https://h/f.json" "1.0.0"
git "https://h/o/g.git" "${COMMIT}"
github "o/a" "v1.2.0"
`,
  'podfile-lock': `PODS:
  - A/Core (1.0.0)
  - A/UI (1.0.0):
    - A/Core
    - "B+C (~> 2.0)"
  - "B+C (2.1)"
  - G (0.1.0)
  - P (0.2.0)

DEPENDENCIES:
  - A/UI (~> 1.0)
  - G (from \`https://h/g.git\`, branch \`main\`)
  - P (from \`../p\`)

SPEC REPOS:
  trunk:
    - A
    - "B+C"

EXTERNAL SOURCES:
  G:
    :branch: main
    :git: https://h/g.git
  P:
    :path: "../p"

CHECKOUT OPTIONS:
  G:
    :commit: ${COMMIT}
    :git: https://h/g.git

SPEC CHECKSUMS:
  A: ${COMMIT}

PODFILE CHECKSUM: ${COMMIT}

COCOAPODS: 1.15.2
`,
  'mix-lock': `%{
  "a": {:hex, :a_real, "1.0.0", "${SHA256}", [:mix], [{:b, "~> 1.0", [hex: :b, repo: "hexpm", optional: false]}, {:c, ">= 0.0.0", [hex: :c, repo: "hexpm", optional: true]}], "hexpm", "${SHA256.replaceAll('a', 'c')}"},
  "b": {:hex, :b, "1.1.0", "${SHA256}", [:rebar3], [], "hexpm:acme", "${SHA256.replaceAll('a', 'c')}"},
  "g": {:git, "https://h/g.git", "${COMMIT}", [branch: "main"]},
}
`,
  'mix-lock (old)': `%{"a": {:hex, :a, "1.0.0"},
  "b": {:hex, :b, "1.1.0", "${SHA256}", [:mix], [{:a, "~> 1.0", [hex: :a, optional: false]}]}}
`,
  'rebar-lock': `{"1.2.0",
[{<<"a">>,{pkg,<<"a_real">>,<<"1.0.0">>},0},
 {<<"g">>,
  {git,"https://h/g.git",
       {ref,"${COMMIT}"}},
  1}]}.
[
{pkg_hash,[
 {<<"a">>, <<"${SHA256}">>}]}
].
`,
  'conan-lock': JSON.stringify({
    version: '0.5',
    requires: ['a/1.2.11#0123456789abcdef%1600000000.0', 'b/1.0@user/stable'],
    build_requires: ['c/3.22.0#0123456789abcdef'],
    python_requires: [],
  }),
  'conan-lock (v0.4)': JSON.stringify({
    graph_lock: {
      nodes: {
        0: { path: 'conanfile.txt', requires: ['1'] },
        1: { ref: 'a/1.2.11#0', requires: ['2'], context: 'host' },
        2: { ref: 'b/1.0', context: 'build' },
      },
    },
    version: '0.4',
  }),
  'cabal-project-freeze': `active-repositories: hackage.haskell.org:merge
constraints: any.a ==1.0.2,
             a -fast +slow,
             any.b-c ==0.9,
             base installed,
             d ==1
index-state: hackage.haskell.org 2024-01-01T00:00:00Z
`,
  'stack-yaml-lock': `# This file was autogenerated by Stack.
packages:
- completed:
    hackage: a-b-1.0.2@sha256:${SHA256},1234
    pantry-tree:
      sha256: ${SHA256}
      size: 300
  original:
    hackage: a-b-1.0.2
- completed:
    commit: ${COMMIT}
    git: https://h/g.git
    name: g
    version: 0.1
  original:
    commit: ${COMMIT}
    git: https://h/g.git
snapshots:
- completed:
    sha256: ${SHA256}
    size: 640060
    url: https://h/lts/22/1.yaml
  original: lts-22.1
`,
  'renv-lock': JSON.stringify({
    R: { Version: '4.3.1', Repositories: [{ Name: 'CRAN', URL: 'https://h' }] },
    Packages: {
      a: {
        Package: 'a',
        Version: '1.0',
        Source: 'Repository',
        Repository: 'CRAN',
        Hash: 'ab',
        Requirements: ['R', 'b'],
      },
      b: { Package: 'b', Version: '2.0-1', Source: 'Bioconductor', Imports: 'methods, a (>= 1.0)' },
      g: {
        Package: 'g',
        Version: '0.1',
        Source: 'GitHub',
        RemoteHost: 'api.github.com',
        RemoteUsername: 'o',
        RemoteRepo: 'g',
        RemoteSha: COMMIT,
      },
    },
  }),
  'terraform-lock-hcl': `# This file is maintained automatically by "terraform init".
provider "registry.terraform.io/hashicorp/aws" {
  version     = "5.1.0"
  constraints = "~> 5.0"
  hashes = [
    "h1:YWJj",
    "zh:${SHA256}",
  ]
}

provider "registry.opentofu.org/o/p" {
  version = "0.1.0"
}
`,
  'pixi-lock': `version: 6
environments:
  default:
    channels:
    - url: https://conda.example/forge/
    packages:
      linux-64:
      - conda: https://conda.example/forge/linux-64/a-lib-1.0-h1_0.conda
      - pypi: https://files.pythonhosted.org/packages/b-2.0-py3-none-any.whl
      - pypi: .
packages:
- conda: https://conda.example/forge/linux-64/a-lib-1.0-h1_0.conda
  sha256: ${SHA256}
  depends:
  - c >=2
- pypi: https://files.pythonhosted.org/packages/b-2.0-py3-none-any.whl
  name: b
  version: '2.0'
  sha256: ${SHA256}
- pypi: .
  name: own
  version: 0.1.0
- kind: pypi
  name: d
  version: '3'
  url: git+https://h/g.git?rev=main#${COMMIT}
`,
  'conda-lock-yml': `# This lock file was generated by conda-lock (https://github.com/conda/conda-lock). DO NOT EDIT!
version: 1
metadata:
  platforms: [linux-64, osx-64]
package:
- name: python
  version: '3.12'
  manager: conda
  platform: linux-64
  dependencies: {__glibc: '>=2.17'}
  url: https://conda.example/forge/linux-64/python-3.12-h1_0.conda
  hash: {md5: ab, sha256: ${SHA256}}
  category: main
- name: b
  version: '2.0'
  manager: pip
  platform: linux-64
  dependencies: {python: '>=3'}
  url: https://files.pythonhosted.org/packages/b-2.0-py3-none-any.whl
  hash: {sha256: ${SHA256}}
  category: dev
`,
  'manifest-toml': `# This file is machine-generated - editing it directly is not advised

julia_version = "1.10.0"
manifest_format = "2.0"

[[deps.A]]
deps = ["B", "Dates"]
git-tree-sha1 = "${COMMIT}"
uuid = "00000000-0000-0000-0000-000000000001"
version = "1.0.0"

[[deps.B]]
git-tree-sha1 = "${COMMIT}"
repo-rev = "main"
repo-url = "https://h/g.git"
version = "0.2.0"

    [deps.B.deps]
    A = "00000000-0000-0000-0000-000000000001"

[[deps.Dates]]
uuid = "00000000-0000-0000-0000-000000000002"
`,
  'shard-lock': `version: 2.0
shards:
  a:
    git: https://h/g.git
    version: 0.1.0+git.commit.${COMMIT}

  b:
    path: ../b
    version: 0.2.0
`,
  'chart-lock': `dependencies:
- name: a
  repository: https://charts.example/stable
  version: 1.2.3
- name: b
  repository: file://../b
  version: 0.1.0
digest: sha256:${SHA256}
generated: "2026-01-01T00:00:00Z"
`,
  'cyclonedx-json': JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { 'bom-ref': 'r', type: 'application', name: 'r', components: [{ name: 'm' }] } },
    components: [
      {
        type: 'library',
        'bom-ref': 'a',
        name: 'a',
        version: '1',
        purl: 'pkg:npm/a@1',
        hashes: [{ alg: 'SHA-1', content: 'ab' }],
        properties: [{ name: 'cdx:npm:package:development', value: 'true' }],
        components: [{ type: 'library', name: 'b', purl: 'pkg:pypi/b' }],
      },
    ],
    dependencies: [{ ref: 'r', dependsOn: ['a'] }],
  }),
  'cyclonedx-xml': `<bom xmlns="http://cyclonedx.org/schema/bom/1.4"><metadata><component bom-ref="r" type="application"/></metadata>
<components><component type="library" bom-ref="a"><name>a</name><version>1</version><hashes><hash alg="MD5">ab</hash></hashes>
<purl>pkg:npm/a@1</purl></component></components><dependencies><dependency ref="r"><dependency ref="a"/></dependency></dependencies></bom>`,
  'spdx-json': JSON.stringify({
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    documentDescribes: ['SPDXRef-a'],
    packages: [
      {
        SPDXID: 'SPDXRef-a',
        name: 'a',
        versionInfo: '1',
        externalRefs: [{ referenceType: 'purl', referenceLocator: 'pkg:npm/a' }],
        checksums: [{ algorithm: 'SHA1', checksumValue: 'ab' }],
      },
      { SPDXID: 'SPDXRef-b', name: 'b', externalRefs: [{ referenceType: 'npm', referenceLocator: 'b@1' }] },
      { SPDXID: 'SPDXRef-c', name: 'c' },
    ],
    relationships: [
      { spdxElementId: 'SPDXRef-a', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'SPDXRef-b' },
    ],
  }),
  'spdx-tag-value': `SPDXVersion: SPDX-2.3
SPDXID: SPDXRef-DOCUMENT
PackageName: a
SPDXID: SPDXRef-a
PackageVersion: 1
PackageChecksum: SHA1: ab
ExternalRef: PACKAGE-MANAGER purl pkg:npm/a
PackageDescription: <text>x
y</text>
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-a
`,
};

/** The format of a sample. */
export function formatOfSample(label: string): string {
  return label.replace(/ \(.*$/, '');
}
