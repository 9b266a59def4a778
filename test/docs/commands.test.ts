import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { run as runCommand } from '../../src/cli/program/program.ts';
import { lockhound } from '../cli/lockhound.ts';
import { git } from '../sources/repositories.ts';
import { LIMIT_MS } from '../until.ts';
import { type DocumentedWorld, openDocumentedWorld } from './documented-world.ts';
import { shellLines, undeclaredBlocks } from './shell-lines.ts';

const CHECKOUT = 'needs a checkout that is installed and packed anew: `.ci/fresh-checkout` runs it';
const CONTAINERS = 'needs containers: `.ci/deployment` follows the documented deployments';
const REGISTRY = 'needs a package registry, or a release in one';
const SIMULATION =
  'takes minutes: its script and its options are checked below, and test/simulation runs histories';

const ROOT = join(import.meta.dirname, '../..');

/** Command lines that do not run here, with the reason. */
const NOT_RUN: readonly (readonly [line: RegExp, reason: string])[] = [
  [/^npm ci && npm (?:start|pack)/, CHECKOUT],
  [/^npm install lockhound-[\d.]+\.tgz$/, CHECKOUT],
  [/^(?:docker|cosign) /, CONTAINERS],
  [/^kubectl /, 'needs a cluster'],
  [/^npm (?:audit signatures|view lockhound@)/, REGISTRY],
  [/^npx openapi-typescript /, REGISTRY],
  [
    /^(?:REDISCLI_AUTH=\S+ redis-cli|cd \/var\/lib\/redis) /,
    'needs a server of its own: test/deploy/backup.test.ts runs it',
  ],
  [/^lockhound demo(?: --serve)?$/, 'test/cli/demo.test.ts runs it'],
  [/^lockhound worker$/, 'needs a process of its own: test/cli/worker.test.ts runs it'],
  [/^lockhound ci fix /, 'needs a job of a code host: test/cli/ci-fix.test.ts and test/ci run it'],
  [/^npm run simulate /, SIMULATION],
];

/** What a refusal says, of commands that have nothing to do in a fleet without a fault. */
const REFUSED: readonly (readonly [line: RegExp, text: RegExp])[] = [
  [/^lockhound deliveries resume default$/, /route default is not stopped/],
];

/** Commands that run until they are stopped, with the output after which they are. */
const UNTIL: readonly (readonly [line: RegExp, text: RegExp])[] = [
  [/^lockhound serve$/, /^Page http/m],
  [/^lockhound services/, /^discovery +http/m],
  [/^lockhound watch package left-pad --follow$/, /left-pad/],
];

let world: DocumentedWorld;
beforeAll(async () => {
  world = await openDocumentedWorld();
});
afterEach(() => world.revokeTokens());
afterAll(async () => {
  await world.close();
  vi.unstubAllEnvs();
});

/** The id that the last answer about a kind of thing named first. */
async function firstId(noun: string, list: string): Promise<string> {
  const { out } = await lockhound([noun, '--json']);
  const [first] = JSON.parse(out)[list];
  return String(first?.id).replace(/^ignore /, '');
}

/** What stands in a document for something of the reader, and what it is here. */
const STAND_INS: readonly (readonly [text: RegExp, here: () => string | Promise<string>])[] = [
  [/http:\/\/(?:lockhound\.example|127\.0\.0\.1):8705/g, () => world.server],
  [/http:\/\/127\.0\.0\.1:8703/g, () => world.receiver],
  [/(?<=curl.*)localhost:8701/gs, () => world.insights],
  [/https:\/\/(?:osv-vulnerabilities\.storage\.googleapis|epss\.empiricalsecurity)\.com/g, () => world.lists],
  [/https:\/\/github\.com\/acme\/shop\.git/g, () => 'https://git.invalid/acme/shop.git'],
  [/https:\/\/lockhound\.example\.com/g, () => world.server],
  [/\/srv\/git\/shop\.git/g, () => `${process.env['HOME']}/shop.git`],
  [/(?<=Bearer )(?:lockhound_…|\$TOKEN)/g, () => world.token('submit')],
  [/(?<=^lockhound api call lockhound \S+)(?=\s)/g, () => ` --root-url ${world.server}`],
  [/(?<=^lockhound enqueue .*--release )2\.4\.1/g, () => '2.4.2'],
  [/msg_5f0c…/g, () => firstId('deliveries', 'deliveries')],
  [/(?<=tokens revoke )3f2a9c01d4e5/g, () => firstId('tokens', 'tokens')],
  [/(?<=ignore remove )3f2a9c01/g, () => firstId('ignore', 'suppressions')],
  [
    /^lockhound services(?!.*--settings)/g,
    () =>
      `lockhound services ${['insights', 'webhooks', 'receiver', 'discovery'].map((name) => `--${name}-port 0`).join(' ')}`,
  ],
];

async function asHere(text: string): Promise<string> {
  let line = text;
  for (const [pattern, here] of STAND_INS)
    if (line.search(pattern) >= 0) line = line.replaceAll(pattern, await here());
  return line;
}

const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;

/** Runs a line: `lockhound` in this process, other programs in a shell. */
async function run(text: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const line = await asHere(text);
  const [, settings = '', rest] = /^((?:[A-Z_]+=\S+ )*)lockhound (.*)$/s.exec(line) ?? [];
  if (rest === undefined) return await inShell(line);
  const given = {
    ...Object.fromEntries(
      settings
        .trim()
        .split(' ')
        .filter(Boolean)
        .map((one) => one.split('=')),
    ),
  };
  if (line.includes('--token-env TOKEN')) given['TOKEN'] = await world.token('submit');
  const words = (rest.match(WORD) ?? []).map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  const [, ready] = UNTIL.find(([pattern]) => pattern.test(text)) ?? [];
  try {
    Object.assign(process.env, given);
    if (ready !== undefined) return await untilReady(words, ready);
    const { code, out, note } = await lockhound(words, '', async () => true);
    return { code, output: out + note };
  } finally {
    for (const name of Object.keys(given)) delete process.env[name];
    if (words.includes('--apply')) git(world.folder, 'checkout', '--quiet', '.');
  }
}

/** Runs a command in this process, and stops it as a signal would when its output matches. */
async function untilReady(words: readonly string[], ready: RegExp) {
  const others = new Set(process.listeners('SIGTERM'));
  let out = '';
  const write = (text: string): void => {
    out += text;
    if (!ready.test(out)) return;
    setImmediate(() => {
      for (const stop of process.listeners('SIGTERM')) if (!others.has(stop)) stop('SIGTERM');
    });
  };
  const shown = { colour: false, interactive: false, width: 100, noteWidth: 100 };
  const code = await runCommand(words, { out: write, note: write, ...shown });
  // 128 and the number of SIGTERM.
  return { code: code === 143 ? 0 : code, output: out };
}

function inShell(line: string): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', line], { timeout: LIMIT_MS }, (error, stdout, stderr) =>
      resolve({
        code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 2,
        output: stdout + stderr,
      }),
    );
  });
}

const RUN = shellLines().filter(({ text }) => !NOT_RUN.some(([line]) => line.test(text)));

it.each(RUN.map(({ page, text }) => [page, text]))('%s: %s', async (_page, text) => {
  const { code, output } = await run(text);
  const [, refusal] = REFUSED.find(([line]) => line.test(text)) ?? [];
  if (refusal !== undefined) return void expect(output).toMatch(refusal);
  if (code !== 0 && code !== 1) throw new Error(`exit code ${code}: ${output.slice(-2_000)}`);
});

it('every line that does not run exists, and every block of a shell is declared as one', () => {
  const lines = shellLines().map(({ text }) => text);
  expect(NOT_RUN.filter(([line]) => !lines.some((text) => line.test(text)))).toEqual([]);
  expect(undeclaredBlocks()).toEqual([]);
});

it('the scripts of npm that do not run have the options of their lines', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const lines = shellLines().flatMap(({ text }) => {
    const [, script = '', options = ''] = /^npm run (\S+) -- (.*)$/.exec(text) ?? [];
    return script === '' ? [] : [{ script, options: options.match(/(?<=--)[a-z-]+/g) ?? [] }];
  });
  expect(lines.length).toBeGreaterThan(0);
  for (const { script, options } of lines) {
    const program = readFileSync(join(ROOT, String(scripts[script]).split(' ')[1] ?? ''), 'utf8');
    for (const option of options) expect(program).toMatch(new RegExp(`^ +'?${option}'?: \\{ type: `, 'm'));
  }
});
