import { afterAll, describe, expect, it } from 'vitest';
import { readWithCompanions } from '../../src/lockfiles/read.ts';
import type { LockfileRequest } from '../../src/lockfiles/read-as.ts';
import { createLockfileReader } from '../../src/lockfiles/threads/lockfile-reader.ts';
import { type InlineLimits, limitsFor, WORKER_INLINE } from '../../src/lockfiles/threads/reading-limits.ts';
import { startThread } from '../../src/lockfiles/threads/thread.ts';
import { formatOfSample, SAMPLES } from './samples.ts';

const NEVER = { bytes: -1, onePassBytes: -1 };
const reader = createLockfileReader({ threads: 2, inline: NEVER });
afterAll(() => reader.close());

const request = (text: string, format: string) => ({
  path: 'x',
  content: Buffer.from(text),
  format,
  companions: [],
});

/** A package-lock with a number of packages. */
function packageLock(count: number): string {
  const packages = Array.from({ length: count }, (_, at) => [
    `node_modules/p${at}`,
    { version: `1.0.${at}` },
  ]);
  return JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(packages) });
}

/** A package-lock whose entries are no packages, so that results of many entries are compared soon. */
function workspaces(count: number): string {
  const folders = Array.from({ length: count }, (_, at) => [`w${at}`, {}]);
  return JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(folders) });
}

describe('reading without a thread', () => {
  const ONE_PASS = { bytes: -1, onePassBytes: 1_000_000 };
  /** Reads a file with a new reader. Returns the result and the number of threads that were started. */
  async function readNew(file: LockfileRequest, inline: InlineLimits) {
    const counting = createLockfileReader({ threads: 1, inline });
    let started = 0;
    const count = () => {
      started += 1;
    };
    process.on('worker', count);
    try {
      return { lockfile: await counting.read(file), started };
    } finally {
      process.off('worker', count);
      await counting.close();
    }
  }

  it.each([
    ['web/package-lock.json', '{"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1.0.0"}}}'],
    [
      'web/pnpm-lock.yaml',
      "lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n    resolution: {integrity: sha512-x}\n",
    ],
    ['web/yarn.lock', '# yarn lockfile v1\n\na@1:\n  version "1.0.0"\n'],
    [
      'web/yarn.lock',
      '__metadata:\n  version: 8\n\n"a@npm:1":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n',
    ],
    ['web/bun.lock', '{"lockfileVersion": 1, "workspaces": {}, "packages": {"a": ["a@1.0.0", "", {}, ""],}}'],
  ])('needs one pass (%s)', async (path, text) => {
    const file = { path, content: Buffer.from(text), companions: [] };
    const { lockfile, started } = await readNew(file, ONE_PASS);
    expect(lockfile.packages).toHaveLength(1);
    expect(started).toBe(0);
    const tooLarge = await readNew(file, { ...ONE_PASS, onePassBytes: text.length - 1 });
    expect(tooLarge).toEqual({ lockfile, started: 1 });
  });

  it.each([
    ['a format without a one-pass reader', 'go-sum', 'a v1.0.0 h1:x\n'],
    ['an anchor in YAML', 'pnpm-lock', "lockfileVersion: '9.0'\npackages:\n  a@1.0.0: &a {}\n"],
    ['too many lists', 'bun-lock', `{"lockfileVersion": 1, "packages": {}, "x": [${'[],'.repeat(100_000)}]}`],
    ['too many objects', 'npm-package-lock', workspaces(60_000)],
    ['too many lines', 'yarn-lock', `# yarn lockfile v1\n${'\n'.repeat(300_000)}a@1:\n  version "1.0.0"\n`],
  ])('stops at %s', async (_what, format, text) => {
    const file = request(text, format);
    const inline = { bytes: -1, onePassBytes: text.length };
    expect(await readNew(file, inline)).toEqual({ lockfile: readWithCompanions(file), started: 1 });
  });

  it('reads small files of any format', async () => {
    const small = { bytes: 100, onePassBytes: 0 };
    const sum = await readNew(request(`a v1.0.0 h1:${'x'.repeat(43)}=\n`, 'go-sum'), small);
    expect(sum).toMatchObject({ started: 0, lockfile: { packages: [{ name: 'a' }] } });
    const found = { ...request('{"lockfileVersion": 3, "packages": {}}', 'x'), format: undefined };
    expect(await readNew(found, small)).toMatchObject({
      started: 0,
      lockfile: { format: 'npm-package-lock' },
    });
  });

  it.each([['requirements-txt', 'a==1.0.0\n'.padEnd(16_384, 'x\n')]])(
    'is not for a file of many short entries in a worker (%s)',
    async (format, text) => {
      expect(await readNew(request(text, format), WORKER_INLINE)).toMatchObject({ started: 1 });
    },
  );
});

describe('reading in threads', () => {
  it.each(Object.entries(SAMPLES))(
    'has the result of reading without threads (%s)',
    async (label, sample) => {
      const file = request(sample, formatOfSample(label));
      expect(await reader.read(file)).toEqual(readWithCompanions(file));
    },
  );

  it('reads many files at the same time and transfers packages in parts', async () => {
    const sizes = [1, 999, 1_000, 1_001, 5_000, 0];
    const read = await Promise.all(
      sizes.map((size) => reader.read(request(packageLock(size), 'npm-package-lock'))),
    );
    expect(read.map(({ packages }) => packages.length)).toEqual(sizes);
    expect(read[4]?.packages[4_999]).toMatchObject({ id: 'p4999@1.0.4999', line: 1 });
  });

  it('reads companions and reports unreadable ones', async () => {
    const file = {
      ...request('-r base.txt\n-r gone.txt\na==1\n', 'requirements-txt'),
      companions: [
        { name: 'base.txt', content: Buffer.from('b==2\n') },
        { name: 'gone.txt', error: { code: 'unreadable', message: 'gone.txt: cannot be read' } },
      ],
    };
    const { packages, problems } = await reader.read(file);
    expect(packages.map(({ id }) => id).sort()).toEqual(['a@1', 'b@2']);
    expect(problems.map(({ message }) => message)).toContain('gone.txt: cannot be read');
  });

  it('rejects with the error of the reader and keeps the buffer of the caller', async () => {
    const file = request('{"lockfileVersion": 3, "packages": {', 'npm-package-lock');
    await expect(reader.read(file)).rejects.toMatchObject({ name: 'LockfileError', code: 'syntax' });
    expect(file.content.toString()).toContain('lockfileVersion');
  });

  it('rejects when its signal aborts', async () => {
    const stop = new AbortController();
    const read = reader.read(request(packageLock(20_000), 'npm-package-lock'), stop.signal);
    stop.abort(new Error('enough'));
    await expect(read).rejects.toThrow('enough');
    await expect(reader.read(request('', 'go-sum'), stop.signal)).rejects.toThrow('enough');
    expect((await reader.read(request(packageLock(3), 'npm-package-lock'))).packages).toHaveLength(3);
  });
});

it.each([
  ['npm-package-lock', '['.repeat(2_000_000)],
  ['spdx-json', `{"spdxVersion":"SPDX-2.3","packages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ['pnpm-lock', `lockfileVersion: '9.0'\npackages: ${'['.repeat(2_000_000)}`],
])('limits nesting before the general parser (%s)', async (format, text) => {
  await expect(reader.read(request(text, format))).rejects.toMatchObject({ code: 'too-deep' });
});

describe('a thread', () => {
  it('that exceeds its memory ends alone, with the reason', async () => {
    const thread = startThread(16);
    const read = thread.read(request(packageLock(60_000), 'npm-package-lock'));
    await expect(read).rejects.toMatchObject({
      code: 'too-much-memory',
      message: 'x: reading takes more than 16 MB of memory, the limit for a file of this size',
    });
    expect(thread.hasEnded()).toBe(true);
  });

  it('can be stopped while it reads', async () => {
    const thread = startThread(512);
    const read = thread.read(request(packageLock(100_000), 'npm-package-lock'));
    setTimeout(() => thread.stop(new Error('too slow')), 50);
    await expect(read).rejects.toThrow('too slow');
    await expect(thread.next()).rejects.toThrow('too slow');
  });

  it('has limits in proportion to the file, at most 4 GB and six minutes', () => {
    expect(limitsFor(0)).toEqual({ timeoutMs: 30_000, heapMb: 512 });
    expect(limitsFor(20 * 1_048_576)).toEqual({ timeoutMs: 90_000, heapMb: 1_024 });
    expect(limitsFor(100 * 1_048_576)).toEqual({ timeoutMs: 330_000, heapMb: 4_096 });
  });
});
