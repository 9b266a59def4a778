import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { kevJson } from '../exploits/lists.ts';
import { digestOf, layoutOf, tarOf } from '../sources/image/image-room.ts';
import { git } from '../sources/repositories.ts';

/** What a package-lock.json locks: versions by name. */
type Locked = Readonly<Record<string, string>>;

export const SHOP: Locked = { lodash: '4.17.20', minimist: '1.2.5', mkdirp: '0.5.6', request: '2.88.2' };
/** Further packages that lines name. */
export const NAMED: Locked = { debug: '4.4.2', 'left-pad': '1.3.0', express: '4.18.0' };

/** The working directory: a repository whose branch `feature` has another version of one package, and the files that lines name. */
export function writeFiles(folder: string, home: string): void {
  const write = (name: string, content: string | Buffer): void => writeFileSync(join(folder, name), content);
  const commit = (packages: Locked, ...tags: readonly string[]): void => {
    write('package-lock.json', lockOf(packages));
    write('package.json', manifestOf(packages));
    git(folder, 'add', 'package.json', 'package-lock.json');
    git(folder, 'commit', '--quiet', '--message=packages');
    for (const tag of tags) git(folder, 'tag', tag);
  };
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'config', 'user.name', 'A');
  git(folder, 'config', 'user.email', 'a@a.example');
  commit({ ...SHOP, lodash: '4.17.15' }, 'v1.2.0');
  commit(SHOP, 'v1.3.0');
  git(folder, 'checkout', '--quiet', '-b', 'feature');
  commit({ ...SHOP, ...NAMED });
  for (const [name, packages] of [
    ['old', SHOP],
    ['new', { ...SHOP, ...NAMED }],
  ] as const) {
    mkdirSync(join(folder, name));
    write(`${name}/package-lock.json`, lockOf(packages));
    write(`${name}/package.json`, manifestOf(packages));
  }
  git(folder, 'add', 'old', 'new');
  git(folder, 'commit', '--quiet', '--message=folders');
  write('pnpm-lock.yaml', "lockfileVersion: '9.0'\npackages:\n  ms@2.1.3: {}\nsnapshots:\n  ms@2.1.3: {}\n");
  const affected = [{ package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] }];
  const record = JSON.stringify({ id: 'GHSA-docs', modified: '2026-05-01T00:00:00Z', affected });
  mkdirSync(join(folder, 'advisories'));
  write('advisories/GHSA-docs.json', record);
  write('records.ndjson.gz', gzipSync(`${record}\n`));
  write('known_exploited_vulnerabilities.json', kevJson());
  const { privateKey } = generateKeyPairSync('ed25519');
  write('key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  write('new.yaml', 'policy: { rules: { deprecated: { level: note } } }\n');
  write('image.tar', tarOf(layoutOf([{ layers: [digestOf('base'), digestOf('own')] }])));
  write('services.yaml', 'insights: { port: 0 }\n');
  mkdirSync(join(folder, 'my-data'));
  write('my-data/packages.ndjson', `${JSON.stringify({ name: 'own', versions: [{ version: '1.0.0' }] })}\n`);
  const statement = {
    ...{ vulnerability: { name: 'CVE-2021-23337' }, products: [{ '@id': 'pkg:npm/lodash@4.17.20' }] },
    ...{ status: 'not_affected', justification: 'vulnerable_code_not_present' },
  };
  const identity = { author: 'A', timestamp: '2026-05-01T00:00:00Z', version: 1 };
  const context = { '@context': 'https://openvex.dev/ns/v0.2.0', '@id': 'https://shop.example/vex' };
  write('shop.openvex.json', JSON.stringify({ ...context, ...identity, statements: [statement] }));
  const component = {
    type: 'library',
    name: 'ms',
    version: '2.1.3',
    purl: 'pkg:npm/ms@2.1.3',
    'bom-ref': 'ms',
  };
  const vulnerability = {
    id: 'CVE-2017-20162',
    affects: [{ ref: 'ms' }],
    analysis: { state: 'not_affected' },
  };
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [component] };
  write('vendor.cdx.json', JSON.stringify({ ...bom, vulnerabilities: [vulnerability] }));
  writeFileSync(join(home, '.curlrc'), 'fail-with-body\nsilent\nmax-time = 20\n');
  git(folder, 'clone', '--quiet', '--bare', '.', join(home, 'shop.git'));
}

/** Puts a program before npm that installs without a registry: it writes the versions into the manifest and the lockfile. */
export function writeNpm(bin: string): void {
  mkdirSync(bin);
  const npm = execFileSync('/bin/sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
case "$1" in
  install)
    shift
    for one in "$@"; do
      to="\${one#*@}"
      own='s/"'"\${one%@*}"'":"[^"]*"/"'"\${one%@*}"'":"'"$to"'"/g'
      locked='s/("node_modules\\/'"\${one%@*}"'":\\{"version":")[^"]*/\\1'"$to"'/'
      sed -E -i "$own;$locked" package.json package-lock.json
    done ;;
  ci | test) exit 0 ;;
  *) exec '${npm}' "$@" ;;
esac
`;
  writeFileSync(join(bin, 'npm'), script, { mode: 0o755 });
}

function lockOf(packages: Locked): string {
  const locked = Object.entries(packages).map(([name, version]) => [`node_modules/${name}`, { version }]);
  const root = { name: 'shop', version: '1.0.0' };
  return JSON.stringify({
    ...root,
    lockfileVersion: 3,
    packages: { '': { ...root, dependencies: packages }, ...Object.fromEntries(locked) },
  });
}

function manifestOf(packages: Locked): string {
  return JSON.stringify({ name: 'shop', version: '1.0.0', dependencies: packages });
}
