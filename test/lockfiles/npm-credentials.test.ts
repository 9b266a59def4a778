import { expect, it } from 'vitest';
import { readLockfile } from '../../src/lockfiles/read.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

it.each([
  'https://user:hunter2@npm.acme.example/a/-/a-1.0.0.tgz',
  'https://hunter2@npm.acme.example/a/-/a-1.0.0.tgz',
  'https://user:hun%40ter2@files.example/a.tar.gz',
  `git+https://hunter2:x-oauth-basic@git.example/a.git#${COMMIT}`,
  `git+ssh://git:hunter2@git.example/a.git#${COMMIT}`,
])('credentials in %s are removed', (resolved) => {
  const v3 = { lockfileVersion: 3, packages: { '': {}, 'node_modules/a': { version: '1.0.0', resolved } } };
  const v1 = { lockfileVersion: 1, dependencies: { a: { version: resolved } } };
  for (const content of [v3, v1]) {
    const { packages } = readLockfile({
      path: 'package-lock.json',
      content: Buffer.from(JSON.stringify(content)),
    });
    expect(packages.length + Number(content === v1)).toBeGreaterThan(0);
    expect(JSON.stringify(packages)).not.toMatch(/hunter2|hun%40ter2|hun%2540ter2/);
    expect(JSON.stringify(packages)).toMatch(/example|^\[\]$/);
  }
});
