import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { System } from '../src/model/lockfile/ecosystem.ts';
import { schemeOf } from '../src/versions/scheme.ts';

/**
 * Compares our order of versions with that of a tool of the ecosystem, in pairs of the versions in the files that are named (separated by
 * white space, or in OSV records, one a line, compressed by gzip) and of generated ones:
 * `npm run version-order -- maven|pypi [--pairs 20000] [--seed 1] [FILE…]`. Debian's packages `libmaven3-core-java` and `python3-packaging`
 * have the tools. Without them it says so and exits with code 0.
 */
const JARS = ['/usr/share/java/maven3-artifact.jar', '/usr/share/java/commons-lang3.jar'];
const MAIN = 'org.apache.maven.artifact.versioning.ComparableVersion';
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

function pick<Value>(values: readonly [Value, ...Value[]], below: (limit: number) => number): Value {
  return values[below(values.length)] ?? values[0];
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

/** Says how each version compares with the next one. */
interface Tool {
  readonly system: System;
  /** What installs it; `undefined` when it is there. */
  missing(): string | undefined;
  /** Signs; `undefined` where one of the two is no version. */
  orders(versions: readonly string[]): readonly (number | undefined)[];
}

const maven: Tool = {
  system: 'MAVEN',
  missing: () => (JARS.every((jar) => existsSync(jar)) ? undefined : 'libmaven3-core-java'),
  orders(versions) {
    const output = execFileSync('java', ['-cp', JARS.join(':'), MAIN, ...versions], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    return output.split('\n').flatMap((line) => {
      const sign = /^ {3}\S+ (<|==|>) \S+$/.exec(line)?.[1];
      return sign === undefined ? [] : [sign === '<' ? -1 : Number(sign === '>')];
    });
  },
};

const PYTHON = `
import json, sys
from packaging.version import Version, InvalidVersion
def read(text):
  try: return Version(text)
  except InvalidVersion: return None
all = [read(one) for one in json.load(sys.stdin)]
print(json.dumps([None if a is None or b is None else (a > b) - (a < b) for a, b in zip(all, all[1:])]))
`;

const pypi: Tool = {
  system: 'PYPI',
  missing() {
    const { status } = spawnSync('python3', ['-c', 'import packaging.version']);
    return status === 0 ? undefined : 'python3-packaging';
  },
  orders(versions) {
    const options = { encoding: 'utf8', input: JSON.stringify(versions), maxBuffer: 2 ** 28 } as const;
    const signs: readonly (number | null)[] = JSON.parse(execFileSync('python3', ['-c', PYTHON], options));
    return signs.map((sign) => sign ?? undefined);
  },
};

const TOOLS: Readonly<Record<string, Tool>> = { maven, pypi };

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
  given: { readonly isValid: (version: string) => boolean; readonly below: (limit: number) => number },
): readonly string[] {
  const { isValid, below } = given;
  const chain: string[] = [];
  while (chain.length < pairs) {
    const version = (below(2) === 0 ? real[below(real.length)] : undefined) ?? generated(below);
    const pair = [version, below(2) === 0 ? (real[below(real.length)] ?? '1') : variant(version, below)];
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
  const chain = pairsOf(real, pairs, { isValid, below });
  const versions = [...real, ...chain, '1'];
  const wrong: string[] = [];
  let compared = 0;
  for (let at = 0; at < versions.length - 1; at += CHUNK) {
    const part = versions.slice(at, at + CHUNK + 1);
    for (const [index, expected] of tool.orders(part).entries()) {
      const [left = '', right = ''] = part.slice(index, index + 2);
      compared += 1;
      const signs = [Math.sign(compare(left, right)), -Math.sign(compare(right, left))];
      if (signs.some((sign) => sign !== expected))
        wrong.push(
          `${left} ${expected === undefined ? 'no version' : '<=>'[expected + 1]} ${right}: ${signs[0]}`,
        );
    }
  }
  console.log(`${compared} pairs compared (seed ${seed}), ${wrong.length} differ from the tool of ${name}.`);
  console.log(wrong.slice(0, 20).join('\n'));
  if (wrong.length > 0 || compared < pairs) process.exitCode = 1;
}

main();
