import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPeers, PEER_FOLDER } from './peers.ts';
import type { Command } from './processes.ts';
import type { Subject } from './rows.ts';

type Peer = Command & Subject;

const SNYK_OPTIONS =
  '{ includeDevDeps: true, includeOptionalDeps: true, pruneCycles: true, strictOutOfSync: false }';

/** Peers as whole processes that read a package-lock and print nothing. */
export async function npmPeers(lockfile: string, floor: string): Promise<readonly Peer[]> {
  await installPeers();
  const text = `require('fs').readFileSync(${JSON.stringify(lockfile)}, 'utf8')`;
  return [
    program('lockparse', floor, `import('lockparse').then(({ parse }) => parse(${text}, 'npm'))`),
    program(
      'snyk-nodejs-lockfile-parser',
      floor,
      `const text = ${text}; const root = JSON.stringify(JSON.parse(text).packages['']);
      require('snyk-nodejs-lockfile-parser').parseNpmLockV2Project(root, text, ${SNYK_OPTIONS})`,
    ),
    program("CVE Lite's reader", floor, cveLite('package-lock', 'loadFromPackageLock', lockfile)),
  ];
}

/** The same for a pnpm-lock. pnpm prints an SBOM, as Lockhound prints its packages. */
export async function pnpmPeers(lockfile: string, floor: string): Promise<readonly Peer[]> {
  await installPeers();
  const folder = dirname(lockfile);
  writeFileSync(join(folder, 'package.json'), '{"name":"synthetic","version":"1.0.0"}');
  const text = `require('fs').readFileSync(${JSON.stringify(lockfile)}, 'utf8')`;
  return [
    program('lockparse', floor, `import('lockparse').then(({ parse }) => parse(${text}, 'pnpm'))`),
    program("CVE Lite's reader", floor, cveLite('pnpm-lock', 'loadFromPnpmLock', lockfile)),
    program('js-yaml', floor, `require('js-yaml').load(${text})`),
    {
      name: 'pnpm sbom --lockfile-only',
      program: join(PEER_FOLDER, 'node_modules/.bin/pnpm'),
      args: ['-C', folder, 'sbom', '--sbom-format', 'cyclonedx', '--lockfile-only'],
      floor,
    },
  ];
}

/** CVE Lite itself needs advisories from the network before it reads; this is its reader alone. */
function cveLite(file: string, reader: string, lockfile: string): string {
  const url = pathToFileURL(join(PEER_FOLDER, 'node_modules/cve-lite-cli/dist/parsers', `${file}.js`)).href;
  return `import(${JSON.stringify(url)}).then((parser) => parser.${reader}(${JSON.stringify(lockfile)}, false))`;
}

/** A program next to the installed peers, so that it finds them. */
function program(name: string, floor: string, code: string): Peer {
  const file = join(PEER_FOLDER, `${floor}-${name}.cjs`.replaceAll(/[^\w.-]+/g, '-'));
  writeFileSync(file, code);
  return { name, args: [file], floor };
}
