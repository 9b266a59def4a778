import { afterAll, describe, expect, it } from 'vitest';
import { readWithCompanions } from '../../src/lockfiles/read.ts';
import { createLockfileReader } from '../../src/lockfiles/threads/lockfile-reader.ts';
import { limitsFor } from '../../src/lockfiles/threads/reading-limits.ts';
import { startThread } from '../../src/lockfiles/threads/thread.ts';
import { formatOfSample, SAMPLES } from './samples.ts';

const reader = createLockfileReader({ threads: 2, inlineBytes: () => 0 });
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

describe('reading without a thread', () => {
  it.each([
    ['web/package-lock.json', undefined, 'npm-package-lock'],
    ['web/pnpm-lock.yaml', undefined, 'pnpm-lock'],
    ['x', 'npm-package-lock', 'npm-package-lock'],
    ['x', undefined, undefined],
  ])('is limited by the format of the file: %s as %s', async (path, format, expected) => {
    const asked: unknown[] = [];
    const inlineBytes = (name: string | undefined) => {
      asked.push(name);
      return 1_000;
    };
    const inline = createLockfileReader({ threads: 1, inlineBytes });
    const content = Buffer.from('{"lockfileVersion": 3, "packages": {}}');
    // The content is that of a package-lock only.
    await inline.read({ path, format, content, companions: [] }).catch(() => undefined);
    expect(asked).toEqual([expected]);
  });
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
    const read = reader.read(request(packageLock(100_000), 'npm-package-lock'), stop.signal);
    stop.abort(new Error('enough'));
    await expect(read).rejects.toThrow('enough');
    await expect(reader.read(request('', 'go-sum'), stop.signal)).rejects.toThrow('enough');
    expect((await reader.read(request(packageLock(3), 'npm-package-lock'))).packages).toHaveLength(3);
  });
});

it.each([
  ['npm-package-lock', '['.repeat(20_000_000)],
  ['spdx-json', `{"spdxVersion":"SPDX-2.3","packages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ['pnpm-lock', `lockfileVersion: '9.0'\npackages: ${'['.repeat(20_000_000)}`],
])('limits nesting before the general parser (%s)', async (format, text) => {
  await expect(reader.read(request(text, format))).rejects.toMatchObject({ code: 'too-deep' });
});

describe('a thread', () => {
  it('that exceeds its memory ends alone, with the reason', async () => {
    const thread = startThread(16);
    const read = thread.read(request(packageLock(200_000), 'npm-package-lock'));
    await expect(read).rejects.toMatchObject({
      code: 'too-much-memory',
      message: 'x: reading takes more than 16 MB of memory, the limit for a file of this size',
    });
    expect(thread.hasEnded()).toBe(true);
  });

  it('can be stopped while it reads', async () => {
    const thread = startThread(512);
    const read = thread.read(request(packageLock(300_000), 'npm-package-lock'));
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
