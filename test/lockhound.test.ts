import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { LockfileError, parsePurl, readLockfile, scan } from '../src/lockhound.ts';

const ROOT = join(import.meta.dirname, '..');
const SHOP = join(ROOT, 'examples/shop');

it('the example of the documentation runs', async () => {
  const page = await readFile(join(ROOT, 'docs/library.md'), 'utf8');
  const [, example = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? [];
  const program = example.replace("'lockhound'", JSON.stringify(join(ROOT, 'src/lockhound.ts')));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: SHOP,
  });
  expect(stdout).toMatch(/^616 packages, 0 problems\n/);
  expect(stdout).toMatch(/^critical \S+ \S+: .+/m);
});

it('a scan states what it could not find out, and does not reject', async () => {
  const { inventory, verdict } = await scan({
    local: true,
    lockfiles: [
      { path: 'package-lock.json', content: '{"lockfileVersion":3,"packages":{' },
      { path: 'requirements.txt', content: 'requests==2.19.0\n' },
    ],
  });
  expect(inventory.unread.map(({ path }) => path)).toEqual(['package-lock.json']);
  expect(verdict.complete).toBe(false);
  expect(verdict.counts.packages).toBe(1);
  expect(verdict.gaps).toContainEqual(expect.objectContaining({ subject: 'package-lock.json' }));
});

it('an aborted scan rejects with the reason of its signal', async () => {
  const reason = new Error('stopped');
  const content = await readFile(join(SHOP, 'package-lock.json'));
  const lockfiles = [{ path: 'package-lock.json', content }];
  await expect(scan({ local: true, lockfiles, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

it('a lockfile is read with its companions and within limits', () => {
  const file = {
    path: 'go.mod',
    content: 'module example.com/a\n\nrequire github.com/gorilla/mux v1.8.0\n',
    companions: [
      {
        path: 'go.sum',
        content: 'github.com/gorilla/mux v1.8.0 h1:i40aqfkR1h2SlN9hojwV5ZA91wcXFOvkdNIeFDP5koI=\n',
      },
    ],
  };
  const [locked] = readLockfile(file).packages;
  expect(locked?.integrity).toHaveLength(1);
  expect(() => readLockfile(file, { maxBytes: 10 })).toThrow(LockfileError);
  expect(() => readLockfile({ path: 'unknown.bin', content: new Uint8Array([0, 1, 2]) })).toThrow(
    LockfileError,
  );
});

it('a purl is read into its parts', () => {
  expect(parsePurl('pkg:npm/%40babel/core@7.0.0')).toMatchObject({ name: '@babel/core', version: '7.0.0' });
  expect(parsePurl('npm/core')).toBeUndefined();
});
