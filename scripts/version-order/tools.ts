import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { System } from '../../src/model/lockfile/ecosystem.ts';

const JARS = ['/usr/share/java/maven3-artifact.jar', '/usr/share/java/commons-lang3.jar'];
const MAIN = 'org.apache.maven.artifact.versioning.ComparableVersion';
/** Returns one of the values. `below`: a random number from 0 to below a limit. */
export function pick<Value>(values: readonly [Value, ...Value[]], below: (limit: number) => number): Value {
  return values[below(values.length)] ?? values[0];
}

const WORDS: readonly [string, ...string[]] = [
  'alpha',
  'beta',
  'rc',
  'rc1',
  'x-y',
  '--',
  'a1b',
  '0a',
  'Z',
  'z',
];
const NUMBERS: readonly [string, ...string[]] = ['0', '1', '2', '9', '10', '11', '100', '20240102030405'];

/** A semantic version: three numbers, mostly with a pre-release, seldom with a build. */
function semantic(below: (limit: number) => number): string {
  const words = (count: number) =>
    Array.from({ length: count }, () => pick(below(2) === 0 ? WORDS : NUMBERS, below)).join('.');
  const numbers = Array.from({ length: 3 }, () => pick(NUMBERS, below)).join('.');
  const pre = below(4) === 0 ? '' : `-${words(1 + below(3))}`;
  return `${numbers}${pre}${below(8) === 0 ? `+${words(1)}` : ''}`;
}

/** Says how each version compares with the next one. */
export interface Tool {
  readonly system: System;
  /** What installs it; `undefined` when it is there. */
  missing(): string | undefined;
  /** Signs; `undefined` where one of the two is no version. */
  orders(versions: readonly string[]): readonly (number | undefined)[];
  /** An invented version. Default: of any parts. */
  readonly invent?: (below: (limit: number) => number) => string;
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

/** Runs a program that reads versions, one a line, and writes how each compares with the next one: a sign, or `?`. */
function ordersBy(command: string, given: readonly string[], options: object = {}) {
  return (versions: readonly string[]): readonly (number | undefined)[] => {
    const input = `${versions.join('\n')}\n`;
    const output = execFileSync(command, given, { encoding: 'utf8', input, maxBuffer: 2 ** 28, ...options });
    return output
      .trim()
      .split('\n')
      .map((sign) => (sign === '?' ? undefined : Number(sign)));
  };
}

function isThere(command: string, ...given: readonly string[]): boolean {
  return spawnSync(command, given).status === 0;
}

const RUBY = `
all = STDIN.read.split("\\n").map { |text| Gem::Version.correct?(text) ? Gem::Version.new(text) : nil }
all.each_cons(2) { |a, b| puts(a && b ? a <=> b : '?') }
`;

const gem: Tool = {
  system: 'RUBYGEMS',
  missing: () => (isThere('ruby', '--version') ? undefined : 'ruby'),
  orders: ordersBy('ruby', ['-e', RUBY]),
};

const GO = `
package main
import ("bufio"; "fmt"; "os"; "strings"; "golang.org/x/mod/semver")
func main() {
  lines, before := bufio.NewScanner(os.Stdin), ""
  for first := true; lines.Scan(); first = false {
    now := "v" + strings.TrimPrefix(lines.Text(), "v")
    if !first {
      if semver.IsValid(before) && semver.IsValid(now) { fmt.Println(semver.Compare(before, now)) } else { fmt.Println("?") }
    }
    before = now
  }
}
`;

const GOPATH = '/usr/share/gocode';

const go: Tool = {
  system: 'GO',
  missing: () =>
    existsSync(`${GOPATH}/src/golang.org/x/mod/semver`) && isThere('go', 'version')
      ? undefined
      : 'golang-go golang-golang-x-mod-dev',
  orders: inFolder({ 'main.go': GO }, (folder) =>
    ordersBy('go', ['run', join(folder, 'main.go')], { env: { ...process.env, GO111MODULE: 'off', GOPATH } }),
  ),
  invent: semantic,
};

const CRATES = '/usr/share/cargo/registry';

const RUST = `
use std::io::BufRead;
fn main() {
  let all: Vec<_> = std::io::stdin().lock().lines().map(|line| {
    let mut version = semver::Version::parse(&line.unwrap()).ok()?;
    // The crate orders builds as well, which have no precedence.
    version.build = semver::BuildMetadata::EMPTY;
    Some(version)
  }).collect();
  for pair in all.windows(2) {
    match (&pair[0], &pair[1]) {
      (Some(a), Some(b)) => println!("{}", a.cmp(b) as i32),
      _ => println!("?"),
    }
  }
}
`;

const crate = existsSync(CRATES)
  ? readdirSync(CRATES).find((name) => name.startsWith('semver-1'))
  : undefined;
const manifest = `[package]
name = "order"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "order"
path = "main.rs"
[dependencies]
semver = { path = "${CRATES}/${crate}" }
`;

const cargo: Tool = {
  system: 'CARGO',
  missing: () =>
    crate !== undefined && isThere('cargo', '--version') ? undefined : 'cargo librust-semver-dev',
  orders: inFolder({ 'Cargo.toml': manifest, 'main.rs': RUST }, (folder) =>
    ordersBy('cargo', ['run', '--quiet', '--offline'], {
      cwd: folder,
      env: { ...process.env, RUSTFLAGS: '-Awarnings' },
    }),
  ),
  invent: semantic,
};

const NODE = `
const { compare, valid } = require('semver');
const all = require('fs').readFileSync(0, 'utf8').trim().split('\\n');
for (let at = 0; at + 1 < all.length; at += 1)
  console.log(valid(all[at]) && valid(all[at + 1]) ? compare(all[at], all[at + 1]) : '?');
`;

const npm: Tool = {
  system: 'NPM',
  missing: () => undefined,
  orders: ordersBy(process.execPath, ['--input-type=commonjs', '-e', NODE]),
  invent: semantic,
};

/** Calls a function with a temporary folder of these files, which exists until this process ends. */
function inFolder(
  files: Readonly<Record<string, string>>,
  open: (folder: string) => Tool['orders'],
): Tool['orders'] {
  let orders: Tool['orders'] | undefined;
  return (versions) => {
    if (orders === undefined) {
      const folder = mkdtempSync(join(tmpdir(), 'version-order-'));
      process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      orders = open(folder);
    }
    return orders(versions);
  };
}

export const TOOLS: Readonly<Record<string, Tool>> = { maven, pypi, gem, go, cargo, npm };
