import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT } from '../prepare.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'consumer-'));
const installed = join(folder, 'node_modules/lockhound');
/** The package has its own cache of compiled code. */
const OWN_CACHE = { ...process.env, NODE_COMPILE_CACHE: undefined };
const run = (...parameters: readonly string[]) =>
  promisify(execFile)(process.execPath, parameters, { cwd: folder, env: OWN_CACHE });

/** The package as npm installs it: the build, its data, and its dependencies next to it. */
beforeAll(async () => {
  mkdirSync(installed, { recursive: true });
  for (const part of ['package.json', 'apis', 'bin', 'data', 'examples']) {
    cpSync(join(ROOT, part), join(installed, part), { recursive: true });
  }
  linkDependencies();
  // Other tests run the build, which then has a cache of compiled code.
  const isPacked = (path: string): boolean => !path.includes('compile-cache');
  cpSync(join(BUILT, 'dist'), join(installed, 'dist'), { recursive: true, filter: isPacked });
  cpSync(join(import.meta.dirname, 'fixtures/consumer.ts'), join(folder, 'consumer.ts'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true }));

// `.ci/fresh-checkout` compiles it against the declarations.
it('lockhound/testing runs in the project of a user', async () => {
  expect((await run('consumer.ts')).stdout).toBe('the consumer is content\n');
});

describe('the command line', () => {
  const lockhound = (...parameters: readonly string[]) =>
    run(join(installed, 'bin/lockhound.js'), ...parameters);

  it('answers --version and --help without loading the program', async () => {
    const cache = join(installed, 'dist/compile-cache');
    expect((await lockhound('--version')).stdout).toBe(`${manifest.version}\n`);
    const { stdout } = await lockhound('--help');
    expect(existsSync(cache)).toBe(false);
    // Another command line, with the same answer of the program.
    expect((await lockhound('help')).stdout).toBe(stdout);
    expect(existsSync(cache)).toBe(true);
  });

  it('runs without the packages that are bundled', async () => {
    expect((await lockhound('api', 'list', '--json')).stdout).toContain('insights');
    expect((await lockhound('complete', '--', 'sca')).stdout).toContain('scans\t');
  });

  it('finds the packages that it loads when they are needed', async () => {
    const file = join(folder, 'größe.txt');
    writeFileSync(file, 'Django==4.2.1\n');
    const { stdout: json } = await lockhound('parse', file, '--as', 'requirements-txt', '--json');
    expect(json).toContain('pkg:pypi/django@4.2.1');
    writeFileSync(join(folder, 'go.mod'), 'module a\n\ngo 1.16\n\nrequire b.org/c v1.0.0\n');
    const hash = `h1:${'A'.repeat(43)}=`;
    writeFileSync(join(folder, 'go.sum'), `b.org/c v1.0.0 ${hash}\nb.org/c v1.1.0 ${hash}\n`);
    expect((await lockhound('parse', join(folder, 'go.mod'))).stdout).toContain('go-mod');
  });

  it('caches compiled code next to the bundle, and runs where it cannot', async () => {
    const cache = join(installed, 'dist/compile-cache');
    rmSync(cache, { recursive: true });
    await lockhound('parse', '--formats');
    expect(readdirSync(cache)).toHaveLength(1);
    rmSync(cache, { recursive: true });
    writeFileSync(cache, 'not a folder');
    expect((await lockhound('parse', '--formats')).stdout).toContain('npm-package-lock');
    rmSync(cache);
  });

  it('reads a large file in its thread', async () => {
    // Larger than what a command reads without one.
    const lines = Array.from({ length: 30_000 }, (_, index) => `package-${index}==1.0.0\n`);
    const file = join(folder, 'requirements.txt');
    writeFileSync(file, lines.join(''));
    expect((await lockhound('parse', file)).stdout).toContain('30000 packages');
  });

  it('scans on the embedded engine, against the bundled data', async () => {
    const example = join(installed, 'examples/shop');
    const { stdout } = await lockhound('scan', '--local', example, '--json', '--fail-on', 'never');
    expect(JSON.parse(stdout)).toMatchObject({ counts: { packages: 616 } });
  });
});

/** The packages that npm installs: all transitive dependencies, without those that are only bundled. */
function linkDependencies(): void {
  const modules = join(installed, 'node_modules');
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { dev?: boolean }>>;
  };
  for (const [path, { dev = false }] of Object.entries(lock.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (name === undefined || dev || !existsSync(join(ROOT, path))) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, path), join(modules, name));
  }
}
