import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sourceSchema } from '../../src/model/watch/source.ts';
import { listTargets } from '../../src/sources/target-list.ts';
import { sourceRoom } from './reading.ts';

const root = mkdtempSync(join(tmpdir(), 'paths-'));
const room = sourceRoom({ maxBytes: 1_000 });
const signal = new AbortController().signal;

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

beforeAll(() => {
  write('team/shop/yarn.lock', '# shop');
  write('team/shop/package.json', '{}');
  write('team/shop/old/go.sum', 'old');
  write('team/api/requirements.txt', 'a==1');
  write('team/docs/README.md', 'no lockfile');
  write('sboms/one.cdx.json', '{"bomFormat": "CycloneDX"}');
  write('sboms/two.cdx.json', '{"bomFormat": "CycloneDX"}');
  mkdirSync(join(root, 'attacked'));
  write('attacked/go.sum', 'fine');
  symlinkSync('/dev/zero', join(root, 'attacked/package-lock.json'));
  symlinkSync('/etc/passwd', join(root, 'attacked/Cargo.lock'));
  write('attacked/yarn.lock', '');
  truncateSync(join(root, 'attacked/yarn.lock'), 500_000_000);
});
afterAll(async () => {
  await room.close();
  rmSync(root, { recursive: true });
});

async function targets(source: object, target?: string) {
  return await listTargets({ name: 'here', source: sourceSchema().parse(source), target }, signal);
}

describe('paths of the worker', () => {
  it('are one target for each match, each with its own lockfiles', async () => {
    const found = await targets({ kind: 'path', paths: `${root}/team/*` });
    expect(found.map(({ target }) => target)).toEqual(['api', 'docs', 'shop']);
    const [api, docs, shop] = found.map(({ source }) => source);
    expect(room.listed(await room.read(api ?? {}))).toEqual(['requirements.txt: a==1']);
    expect(room.listed(await room.read(shop ?? {}))).toEqual([
      'old/go.sum: old',
      'yarn.lock: # shop',
      '  package.json: {}',
    ]);
    await expect(room.read(docs ?? {})).rejects.toMatchObject({ code: 'no-lockfiles' });
    const files = await targets({ kind: 'path', paths: [`${root}/sboms/*.cdx.json`] }, 'sbom-$NAME');
    expect(files.map(({ target }) => target)).toEqual(['sbom-one.cdx.json', 'sbom-two.cdx.json']);
    expect(room.listed(await room.read(files[0]?.source ?? {}))).toEqual([
      'one.cdx.json: {"bomFormat": "CycloneDX"}',
    ]);
  });

  it('are one target for all matches, with paths below the folder that they share', async () => {
    const paths = [`${root}/team/*`, `${root}/sboms/one.cdx.json`];
    const [only, ...others] = await targets({ kind: 'path', paths, targets: 'all', exclude: ['old/'] });
    expect([only?.target, others]).toEqual(['here', []]);
    expect(room.listed(await room.read(only?.source ?? {}))).toEqual([
      'sboms/one.cdx.json: {"bomFormat": "CycloneDX"}',
      'team/api/requirements.txt: a==1',
      'team/shop/yarn.lock: # shop',
      '  package.json: {}',
    ]);
  });

  it('are opened only as regular files inside the folder, up to the limit', async () => {
    const reading = await room.read({ kind: 'path', path: join(root, 'attacked') });
    expect(room.listed(reading)).toEqual([
      'Cargo.lock: [outside]',
      'go.sum: fine',
      'package-lock.json: [not-a-file]',
      'yarn.lock: [too-large]',
    ]);
  });

  it('that do not exist, or match nothing, are faults', async () => {
    await expect(room.read({ kind: 'path', path: join(root, 'gone') })).rejects.toMatchObject({
      code: 'not-found',
    });
    for (const paths of [`${root}/gone/*`, `${root}/team/*/none`]) {
      await expect(targets({ kind: 'path', paths }), paths).rejects.toMatchObject({ code: 'not-found' });
    }
    await expect(room.read({ kind: 'paths', paths: [`${root}/team/none*`] })).rejects.toMatchObject({
      code: 'not-found',
    });
  });
});

describe('ids of targets', () => {
  it('follow from the address, a template, or the entry of a repository', async () => {
    const repositories = [
      'https://git.example/acme/shop.git',
      'git@git.example:acme/api.git',
      { url: '/srv/git/web.git', target: 'web' },
    ];
    const ids = async (template?: string) =>
      (await targets({ kind: 'git', repositories }, template)).map(({ target }) => target);
    expect(await ids()).toEqual(['acme/shop', 'acme/api', 'web']);
    expect(await ids('$HOST:$NAME of $SCHEDULE')).toEqual([
      'git.example:shop of here',
      'git.example:api of here',
      'web',
    ]);
    const urls = ['https://a.example/x/bom.json', 'https://b.example/y%20z/bom.json'];
    expect((await targets({ kind: 'url', urls })).map(({ target }) => target)).toEqual([
      'a.example/x/bom.json',
      'b.example/y z/bom.json',
    ]);
  });

  it('are different', async () => {
    const repositories = ['https://a.example/shop', 'https://b.example/shop'];
    await expect(targets({ kind: 'git', repositories })).rejects.toMatchObject({
      message: expect.stringContaining('two of its targets have the id "shop"'),
    });
    expect(await targets({ kind: 'git', repositories }, '$HOST/$PATH')).toHaveLength(2);
  });
});
