import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScanner } from '../../src/compose/scanner.ts';
import { DEFAULTS } from '../../src/config/defaults.generated.ts';
import { openLocalIndex } from '../../src/embedded/insights/local-index.ts';

let scanner: Awaited<ReturnType<typeof openScanner>>;
beforeAll(async () => {
  const silent = () => {};
  scanner = await openScanner(
    { config: DEFAULTS, secrets: { variables: new Map() }, file: undefined },
    {
      log: { error: silent, warn: silent, info: silent },
      signal: new AbortController().signal,
      local: await openLocalIndex(),
    },
  );
});
afterAll(() => scanner.close());

const content = '{"lockfileVersion":3,"packages":{"":{},"node_modules/a":{"version":"1.0.0"}}}';
const lockfiles = [{ path: 'package-lock.json', content }];

describe('a scan in this process', () => {
  it.each([
    ['no name', { id: '' }],
    ['a control character in its name', { id: 'a\u001b[2J' }],
    ['a name that is too long', { id: 'a'.repeat(201) }],
    ['an empty label', { id: 'a', labels: { '': 'x' } }],
  ])('refuses a target with %s', async (_what, target) => {
    await expect(scanner.scan({ target, lockfiles })).rejects.toMatchObject({ code: 'invalid-payload' });
  });

  it.each([[{ id: 'shop' }], [{ id: 'größe/ünïcode' }], [{ id: 'shop', labels: { team: 'one' } }]])(
    'accepts the target %j',
    async (target) => {
      const report = await scanner.scan({ target, lockfiles });
      expect(report?.verdict.target).toEqual({ labels: {}, ...target });
    },
  );
});
