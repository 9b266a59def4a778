import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldersLike } from '../../src/files/folders-like.ts';

const folder = mkdtempSync(join(tmpdir(), 'folders-like-'));
beforeAll(() => {
  for (const name of ['packages/a', 'packages/b', 'apps/web', 'node_modules/x', 'a'.repeat(200)]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('folders like patterns', () => {
  it('are those that people write', async () => {
    expect(await foldersLike(['packages/*', 'apps/{web,api}'], folder)).toEqual([
      'apps/web',
      'packages/a',
      'packages/b',
    ]);
    expect(await foldersLike(['**/web'], folder)).toEqual(['apps/web']);
  });

  // Each of them takes minutes or more when it is matched.
  it.each([
    ['many alternatives', '{a,b}'.repeat(30)],
    ['alternatives in alternatives', `${'{a,'.repeat(30)}b${'}'.repeat(30)}`],
    ['many wildcards', `${'*a'.repeat(20)}b`],
    ['repetitions of repetitions', '+(+(a)+(a))b'],
    ['any depth many times', '**/a/'.repeat(20)],
    ['a range of numbers', '{1..99999999}'],
  ])('are none for %s', async (_what, pattern) => {
    expect(await foldersLike([pattern], folder)).toEqual([]);
  });

  it('are none outside', async () => {
    expect(await foldersLike(['../*', '/*', '!packages/a', 'x/../../*'], folder)).toEqual([]);
  });
});
