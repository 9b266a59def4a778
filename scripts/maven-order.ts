import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { maven } from '../src/versions/maven.ts';

/**
 * Compares the order of Maven versions with that of Maven's own `ComparableVersion`, in pairs of the versions in the files that are named
 * (separated by white space) and of generated ones: `npm run maven-order -- [--pairs 20000] [--seed 1] [FILE…]`. Debian's package
 * `libmaven3-core-java` has the JAR files. Without them it says so and exits with code 0.
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

/** The signs of the comparisons of each version with the next one. */
function ordersOfMaven(versions: readonly string[]): readonly number[] {
  const output = execFileSync('java', ['-cp', JARS.join(':'), MAIN, ...versions], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return output.split('\n').flatMap((line) => {
    const sign = /^ {3}\S+ (<|==|>) \S+$/.exec(line)?.[1];
    return sign === undefined ? [] : [sign === '<' ? -1 : Number(sign === '>')];
  });
}

function main(): void {
  if (!JARS.every((jar) => existsSync(jar))) {
    console.log(`Skipped: there is no ${JARS.join(' or no ')} (apt-get install libmaven3-core-java).`);
    return;
  }
  const [pairs, seed] = [option('--pairs', 20_000), option('--seed', 1)];
  const below = numbers(seed);
  const words = process.argv.slice(2).flatMap((file) => readFileSync(file, 'utf8').split(/\s+/));
  const real = words.filter((word) => /\d/.test(word) && maven.isValid(word));
  const chain = Array.from({ length: Math.ceil(pairs / 2) }, () => {
    const version = (below(2) === 0 ? real[below(real.length)] : undefined) ?? generated(below);
    return [version, variant(version, below)];
  }).flat();
  const versions = [...real, ...chain, '1'];
  const wrong: string[] = [];
  let compared = 0;
  for (let at = 0; at < versions.length - 1; at += CHUNK) {
    const part = versions.slice(at, at + CHUNK + 1);
    for (const [index, expected] of ordersOfMaven(part).entries()) {
      const [left = '', right = ''] = part.slice(index, index + 2);
      compared += 1;
      const signs = [Math.sign(maven.compare(left, right)), -Math.sign(maven.compare(right, left))];
      if (signs.some((sign) => sign !== expected))
        wrong.push(`${left} ${'<=>'[expected + 1]} ${right}: ${signs[0]}`);
    }
  }
  console.log(`${compared} pairs compared (seed ${seed}), ${wrong.length} differ from Maven.`);
  console.log(wrong.slice(0, 20).join('\n'));
  if (wrong.length > 0 || compared < pairs) process.exitCode = 1;
}

main();
