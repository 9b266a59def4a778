import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainsOf, readImage } from '../../../src/sources/image/oci-image.ts';
import { chainOf, digestOf, dockerOf, EMPTY, layoutOf, tarEntry, tarOf } from './image-room.ts';

const [A, B, C] = [digestOf('a'), digestOf('b'), digestOf('c')];
const RUN = {};
const META = { empty_layer: true };

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'image-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function archive(content: Buffer): Promise<string> {
  count += 1;
  const file = path.join(folder, `image-${count}.tar`);
  await writeFile(file, content);
  return file;
}

/** The code of the error that reading a file gives. */
async function codeOf(content: Buffer): Promise<unknown> {
  return await readImage(await archive(content)).then(
    () => 'read',
    ({ code }) => code,
  );
}

describe('the chains of layers', () => {
  it('are counted without empty layers, and with them', () => {
    expect(chainsOf([A, B], [RUN, META, RUN])).toEqual([
      [A, chainOf(A, EMPTY)],
      [chainOf(A, B), chainOf(A, EMPTY, B)],
    ]);
    // The empty layer is one of the listed ones.
    expect(chainsOf([A, EMPTY, B], [])).toEqual([
      [A, chainOf(A, EMPTY)],
      [chainOf(A, B), chainOf(A, EMPTY, B)],
    ]);
  });

  it('are those of the layers when the history does not fit them', () => {
    expect(chainsOf([A, B], [META, RUN])).toEqual([[A], [chainOf(A, B)]]);
    expect(chainsOf([], [META])).toEqual([]);
    expect(chainsOf([A], [META, RUN])).toEqual([[A, chainOf(EMPTY, A)]]);
  });
});

describe('an image', () => {
  it('is read from an OCI archive, a folder and an archive of Docker alike', async () => {
    const layers = chainsOf([A, B], [RUN, META, RUN]);
    const image = { layers: [A, B], history: [RUN, META, RUN] };
    const files = layoutOf([image]);
    const oci = await readImage(await archive(tarOf(files)));
    expect(oci).toMatchObject({ reference: 'shop:1.0', platform: 'linux/amd64', layers });
    const layout = path.join(folder, 'layout');
    for (const [name, content] of files) {
      await mkdir(path.dirname(path.join(layout, name)), { recursive: true });
      await writeFile(path.join(layout, name), content);
    }
    expect(await readImage(layout)).toEqual(oci);
    expect(await readImage(await archive(tarOf(dockerOf(image))))).toMatchObject({
      reference: 'shop:1.0',
      layers,
    });
  });

  it('is that of a platform among several; attestations are none', async () => {
    const files = layoutOf([
      { layers: [A], platform: ['linux', 'arm64'] },
      { layers: [B] },
      { layers: [C], platform: ['unknown', 'unknown'] },
    ]);
    const file = await archive(tarOf(files));
    expect((await readImage(file)).layers[0]).toEqual([B]);
    expect((await readImage(file, 'linux/arm64')).layers[0]).toEqual([A]);
    await expect(readImage(file, 'linux/s390x')).rejects.toThrow(
      'no image for linux/s390x; it has linux/arm64, linux/amd64',
    );
  });

  it('is read however large its layers are', async () => {
    const files = layoutOf([{ layers: [A] }]);
    const header = tarEntry('blobs/sha256/layer', '', { bytes: 2 ** 32 });
    const cut = Buffer.concat([tarOf(files, Buffer.alloc(0)), header]);
    // The content of the layer is not there: what is read is only its header.
    await expect(readImage(await archive(cut))).rejects.toThrow('the archive is cut off');
    const pax = tarEntry('x', '17 size=000000512\n', { type: 'x' });
    const large = tarEntry('layer', Buffer.alloc(512), { bytes: 0 });
    expect(await codeOf(Buffer.concat([pax, large, tarOf(files)]))).toBe('read');
  });
});

describe('what is no image', () => {
  const files = layoutOf([{ layers: [A] }]);
  const whole = tarOf(files);

  it.each([
    ['nothing', Buffer.alloc(0), 'not-an-image'],
    ['text', Buffer.from('x'.repeat(2_000)), 'not-an-image'],
    ['another archive', tarOf(new Map([['a.txt', 'a']])), 'not-an-image'],
    ['half of an archive', whole.subarray(0, 700), 'damaged'],
    [
      'an archive with a damaged header',
      Buffer.concat([tarEntry('a', 'b'), Buffer.alloc(512, 7), whole]),
      'damaged',
    ],
    ['a huge manifest', tarOf(new Map([['index.json', Buffer.alloc(9_000_000, ' ')]])), 'too-large'],
    ['a huge header', tarEntry('x', Buffer.alloc(70_000), { type: 'x' }), 'too-large'],
    ['a manifest that is no JSON', tarOf(new Map([['index.json', '{']])), 'damaged'],
    [
      'a layout without its blobs',
      tarOf(new Map([...files].filter(([name]) => !name.startsWith('blobs')))),
      'damaged',
    ],
    [
      'a blob with another digest',
      tarOf(new Map([...files].map(([name, text]) => [name, name.startsWith('blobs') ? `${text} ` : text]))),
      'damaged',
    ],
  ])('%s', async (_, content, code) => {
    expect(await codeOf(content)).toBe(code);
  });

  it('is named, with what to do', async () => {
    const compressed = await archive(gzipSync(whole));
    await expect(readImage(compressed)).rejects.toThrow('it is compressed; decompress it first');
    await expect(readImage(path.join(folder, 'absent.tar'))).rejects.toThrow('no such file');
  });

  it('is not an index that leads to itself, nor a link out of the folder', async () => {
    const loop = JSON.stringify({
      manifests: Array.from({ length: 1_000 }, () => ({ digest: digestOf('{"manifests":[]}') })),
    });
    const blob = `blobs/${digestOf(loop).replace(':', '/')}`;
    const inner = `blobs/${digestOf('{"manifests":[]}').replace(':', '/')}`;
    const index = JSON.stringify({
      manifests: Array.from({ length: 1_000 }, () => ({ digest: digestOf(loop) })),
    });
    const many = new Map([
      ['index.json', index],
      [blob, loop],
      [inner, '{"manifests":[]}'],
    ]);
    expect(await codeOf(tarOf(many))).toBe('too-large');
    const layout = path.join(folder, 'linked');
    await mkdir(layout);
    await symlink(path.join(folder, 'image-1.tar'), path.join(layout, 'index.json'));
    await expect(readImage(layout)).rejects.toThrow();
  });
});
