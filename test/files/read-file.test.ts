import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFile, readTextSync } from '../../src/files/read-file.ts';

let folder = '';
const socket = createServer();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockhound-files-'));
  const at = (name: string) => join(folder, name);
  await Promise.all(['in/deep', 'outside'].map((name) => mkdir(at(name), { recursive: true })));
  await Promise.all(['in/file', 'in/deep/file', 'outside/file'].map((name) => writeFile(at(name), name)));
  await symlink(at('in/deep/file'), at('in/link-inside'));
  await symlink('../outside/file', at('in/link-out'));
  await symlink('../outside', at('in/folder-out'));
  await symlink('/dev/zero', at('in/link-to-zero'));
  await symlink('gone', at('in/dangling'));
  await symlink('circle', at('in/circle'));
  execFileSync('mkfifo', [at('in/fifo')]);
  await new Promise<void>((resolve) => socket.listen(at('in/socket'), resolve));
});
afterAll(async () => {
  await new Promise((resolve) => socket.close(resolve));
  await rm(folder, { recursive: true });
});

const REFUSED: readonly (readonly [name: string, code: string, message: RegExp])[] = [
  ['in/fifo', 'not-a-file', /in\/fifo: is a named pipe; only regular files are read$/],
  ['in/socket', 'not-a-file', /in\/socket: is a socket;/],
  ['in/link-to-zero', 'not-a-file', /in\/link-to-zero: is a device;/],
  ['in/deep', 'not-a-file', /in\/deep: is a directory;/],
  ['in/dangling', 'not-found', /in\/dangling: no such file or directory$/],
  ['in/file/below', 'not-found', /no such file or directory$/],
  ['in/circle', 'unreadable', /in\/circle: cannot be read: too many symbolic links encountered$/],
  ['in/\ufffd', 'unreadable', /: its name is not UTF-8; rename it$/],
];

describe('a named file', () => {
  it.each(REFUSED)('%s is refused: %s', async (name, code, message) => {
    const path = join(folder, name);
    const fault = expect.objectContaining({ code, message: expect.stringMatching(message) });
    await expect(readFile(path, { maxBytes: 100 })).rejects.toEqual(fault);
    expect(() => readTextSync(path, 100)).toThrow(fault);
  });

  it('is read up to the limit in bytes', async () => {
    const path = join(folder, 'in/file');
    expect((await readFile(path, { maxBytes: 7 })).toString()).toBe('in/file');
    expect(readTextSync(path, 7)).toBe('in/file');
    const fault = { code: 'too-large', message: `${path}: exceeds the limit of 6 bytes; ask` };
    await expect(readFile(path, { maxBytes: 6, remedy: 'ask' })).rejects.toMatchObject(fault);
    expect(() => readTextSync(path, 6)).toThrow('exceeds the limit of 6 bytes');
  });

  it.runIf(process.platform === 'linux')('is limited by its content, not by its stated size', async () => {
    // States a size of 0, as all of /proc does.
    const path = '/proc/self/environ';
    expect((await readFile('/proc/self/status', { maxBytes: 1_000_000 })).toString()).toContain('Pid:');
    await expect(readFile(path, { maxBytes: 3 })).rejects.toMatchObject({ code: 'too-large' });
  });

  it('must be inside the given folder after links are resolved', async () => {
    const within = join(folder, 'in');
    const read = async (name: string) =>
      (await readFile(join(within, name), { maxBytes: 100, within })).toString();
    expect(await read('file')).toBe('in/file');
    expect(await read('link-inside')).toBe('in/deep/file');
    for (const name of ['link-out', 'folder-out/file', '../outside/file', '/etc/passwd']) {
      await expect(read(name)).rejects.toMatchObject({
        code: name === '/etc/passwd' ? 'not-found' : 'outside',
      });
    }
    // The folder itself may be reached by a link.
    const linked = join(folder, 'linked');
    await symlink(within, linked);
    const options = { maxBytes: 100, within: linked };
    expect((await readFile(join(linked, 'file'), options)).toString()).toBe('in/file');
  });
});
