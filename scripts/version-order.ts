import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { schemeOf } from '../src/versions/scheme.ts';
import { pick, TOOLS, type Tool } from './version-order/tools.ts';

/**
 * Compares our order of versions with that of a tool of the ecosystem, in pairs of the versions in the files that are named (separated by
 * white space, or in OSV records, one a line, compressed by gzip) and of generated ones:
 * `npm run version-order -- maven|pypi|gem|go|cargo|npm [--pairs 20000] [--seed 1] [FILE…]`. Packages of Debian have the tools; without
 * them it says which one installs it, and exits with code 0. Of npm, ours is the tool itself (node-semver).
 */

/** Versions in one call: arguments are limited to 2 MB. */
const CHUNK = 5_000;

const PARTS: readonly [string, ...string[]] = [
  '1',
  ...['alpha', 'beta', 'milestone', 'rc', 'cr', 'snapshot', 'ga', 'final', 'release', 'sp', 'a', 'b', 'm'],
  ...['RELEASE', 'Final', 'jre', 'android', 'x', 'v', '_', '+', 'redhat', 'constructor', ''],
  ...['0', '00', '1', '01', '2', '9', '10', '2147483648', '9007199254740992', '9007199254740993'],
  ...['9223372036854775807', '9223372036854775808', '20240102030405'],
];
const SEPARATORS: readonly [string, ...string[]] = ['.', '.', '-', '-', '', '_'];

/** A number from 0 to below `limit`, the same ones for the same seed (a linear congruential generator of 31 bits). */
function numbers(seed: number): (limit: number) => number {
  let state = BigInt(seed);
  return (limit) => {
    state = (state * 1_103_515_245n + 12_345n) % 2_147_483_648n;
    return Number((state >> 8n) % BigInt(Math.max(1, limit)));
  };
}

function option(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : Number(process.argv.splice(at, 2)[1]);
}

function generated(below: (limit: number) => number): string {
  const text = Array.from(
    { length: 1 + below(6) },
    () => `${pick(PARTS, below)}${pick(SEPARATORS, below)}`,
  ).join('');
  return text === '' ? '1' : text;
}

/** A version with one part or separator replaced, or with another end. */
function variant(version: string, below: (limit: number) => number): string {
  const parts = version.split(/(?<=[._-])|(?=[._-])|(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)/i);
  const at = below(parts.length + 1);
  const by = /^[._-]$/.test(parts[at] ?? '') ? pick(SEPARATORS, below) : generated(below);
  const text = [...parts.slice(0, at), by, ...parts.slice(at + 1)].join('');
  return text === '' ? '1' : text;
}

/** The versions in a file. */
function versionsIn(file: string): readonly string[] {
  if (!file.endsWith('.ndjson.gz')) return readFileSync(file, 'utf8').split(/\s+/);
  const found = new Set<string>();
  for (const line of gunzipSync(readFileSync(file)).toString('utf8').split('\n')) {
    if (line === '') continue;
    const { affected = [] } = JSON.parse(line) as OsvVersions;
    for (const { versions = [], ranges = [] } of affected) {
      const events = ranges.flatMap((range) => range.events ?? []);
      for (const version of [...versions, ...events.flatMap((event) => Object.values(event))])
        found.add(version);
    }
  }
  return [...found];
}

/** The versions of a record in the OSV format. */
interface OsvVersions {
  readonly affected?: readonly {
    readonly versions?: readonly string[];
    readonly ranges?: readonly { readonly events?: readonly Readonly<Record<string, string>>[] }[];
  }[];
}

/** Real and generated versions, each followed by another real one or a variant of it. */
function pairsOf(
  real: readonly string[],
  pairs: number,
  given: Required<Pick<Tool, 'invent'>> & {
    readonly isValid: (version: string) => boolean;
    readonly below: (limit: number) => number;
  },
): readonly string[] {
  const { isValid, below, invent } = given;
  const chain: string[] = [];
  while (chain.length < pairs) {
    const version = (below(2) === 0 ? real[below(real.length)] : undefined) ?? invent(below);
    const pair = [
      version,
      below(2) === 0 ? (real[below(real.length)] ?? invent(below)) : variant(version, below),
    ];
    if (pair.every(isValid)) chain.push(...pair);
  }
  return chain;
}

function main(): void {
  const [pairs, seed] = [option('--pairs', 20_000), option('--seed', 1)];
  const [name = '', ...files] = process.argv.slice(2);
  const tool = TOOLS[name];
  if (tool === undefined) throw new RangeError(`no tool ${name}: ${Object.keys(TOOLS).join(', ')}`);
  const missing = tool.missing();
  if (missing !== undefined) {
    console.log(`Skipped: the tool of ${name} is not there (apt-get install ${missing}).`);
    return;
  }
  const { isValid, compare } = schemeOf(tool.system);
  const below = numbers(seed);
  const real = files.flatMap(versionsIn).filter((word) => /\d/.test(word) && isValid(word));
  const chain = pairsOf(real, pairs, { isValid, below, invent: tool.invent ?? generated });
  const versions = [...real, ...chain, chain[0] ?? '1'];
  const wrong: string[] = [];
  let [compared, refused] = [0, 0];
  for (let at = 0; at < versions.length - 1; at += CHUNK) {
    const part = versions.slice(at, at + CHUNK + 1);
    for (const [index, expected] of tool.orders(part).entries()) {
      const [left = '', right = ''] = part.slice(index, index + 2);
      if (expected === undefined) {
        refused += 1;
        continue;
      }
      compared += 1;
      const signs = [Math.sign(compare(left, right)), -Math.sign(compare(right, left))];
      if (signs.some((sign) => sign !== expected))
        wrong.push(`${left} ${'<=>'[expected + 1]} ${right}: ${signs[0]}`);
    }
  }
  console.log(
    `${compared} pairs compared (seed ${seed}), ${wrong.length} differ from the tool of ${name}, which refused ${refused} others.`,
  );
  console.log(wrong.slice(0, 20).join('\n'));
  if (wrong.length > 0 || compared + refused < pairs) process.exitCode = 1;
}

main();
