import { createHash } from 'node:crypto';

/** A digest as images state it. */
export function digestOf(content: string | Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

export const EMPTY = 'sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef';

/** The identifier of a chain of layers, the lowest first. */
export function chainOf(...layers: readonly string[]): string {
  return layers.reduce((below, layer) => digestOf(`${below} ${layer}`));
}

export interface Image {
  readonly layers: readonly string[];
  readonly history?: readonly object[];
  readonly platform?: readonly [os: string, architecture: string];
}

/** The files of an OCI layout with images, by name. */
export function layoutOf(images: readonly Image[]): Map<string, string> {
  const files = new Map<string, string>([['oci-layout', '{"imageLayoutVersion":"1.0.0"}']]);
  const put = (value: object): { readonly digest: string; readonly size: number } => {
    const text = JSON.stringify(value);
    const digest = digestOf(text);
    files.set(`blobs/${digest.replace(':', '/')}`, text);
    return { digest, size: text.length };
  };
  const manifests = images.map(
    ({ layers, history = [], platform: [os, architecture] = ['linux', 'amd64'] }) => {
      const config = put({ os, architecture, rootfs: { type: 'layers', diff_ids: layers }, history });
      const manifest = put({ schemaVersion: 2, config, layers: [] });
      const annotations = { 'org.opencontainers.image.ref.name': 'shop:1.0' };
      return { ...manifest, platform: { os, architecture }, annotations };
    },
  );
  files.set('index.json', JSON.stringify({ schemaVersion: 2, manifests }));
  return files;
}

/** The files of an archive of `docker save`. */
export function dockerOf({ layers, history = [] }: Image): Map<string, string> {
  const config = JSON.stringify({
    os: 'linux',
    architecture: 'amd64',
    rootfs: { diff_ids: layers },
    history,
  });
  const name = `${digestOf(config).slice(7)}.json`;
  const manifest = [{ Config: name, RepoTags: ['shop:1.0'], Layers: [] }];
  return new Map([
    [name, config],
    ['manifest.json', JSON.stringify(manifest)],
  ]);
}

/** A header and its content, padded to blocks. */
export function tarEntry(
  name: string,
  content: Buffer | string,
  { type = '0', bytes }: { type?: string; bytes?: number } = {},
): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(`${(bytes ?? body.length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\0', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

export function tarOf(files: ReadonlyMap<string, string | Buffer>, end = Buffer.alloc(1024)): Buffer {
  return Buffer.concat([...[...files].map(([name, content]) => tarEntry(name, content)), end]);
}
