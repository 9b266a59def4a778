import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Runs commands in a network and a file system of their own, without rights outside. */
const SEPARATE = ['--map-root-user', '--mount', '--net', 'sh', '-ec'];
const canSeparate = spawnSync('unshare', [...SEPARATE, 'ip link set lo up']).status === 0;
const WORLD = fileURLToPath(new URL('rebinding-world.ts', import.meta.url));

it.skipIf(!canSeparate)(
  'a name whose address changes after the check leads HTTP, git and ssh to the checked address only',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'rebinding-'));
    const [servers, order] = [join(folder, 'resolv.conf'), join(folder, 'nsswitch.conf')];
    writeFileSync(servers, 'nameserver 127.0.0.1\n');
    writeFileSync(order, 'hosts: files dns\n');
    const commands = [
      'ip link set lo up',
      'ip address add 198.41.0.4/32 dev lo',
      `mount --bind ${servers} /etc/resolv.conf`,
      `mount --bind ${order} /etc/nsswitch.conf`,
      `exec "$0" ${WORLD}`,
    ];
    const { stdout, stderr } = spawnSync('unshare', [...SEPARATE, commands.join('\n'), process.execPath]);
    rmSync(folder, { recursive: true });
    expect(stdout.toString(), stderr.toString()).toContain('outcomes');
    const { outcomes, connections } = JSON.parse(stdout.toString());
    expect(outcomes).toEqual({
      'http, first': 'done',
      'http, second': 'address-refused',
      'git, first': ['go.sum: public'],
      'git, second': 'address-refused',
      // The public server has no ssh.
      ssh: expect.stringMatching(/failed|unreachable/),
    });
    expect(connections).toEqual({ public: expect.any(Number), private: 0, ssh: 1, privateSsh: 0 });
    expect(connections.public).toBeGreaterThan(1);
  },
  120_000,
);
