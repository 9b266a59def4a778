import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readFile } from '../../files/read-file.ts';
import { closing } from '../../model/closing.ts';
import { undefinedFor } from '../../model/errors.ts';
import type { ScannedImage } from '../../model/image/image.ts';
import { lazily } from '../../model/lazily.ts';
import { ImageError, openTar } from './tar.ts';

/** An image that a command names: its path, and of several platforms one. */
export interface ImagePath {
  readonly path: string;
  readonly platform?: string | undefined;
}

/** Indexes that lead to other indexes. */
const MAX_DEPTH = 4;
/** Manifests and indexes of one image, however often they are listed. */
const MAX_MANIFESTS = 1_000;
const REFERENCE = 'org.opencontainers.image.ref.name';

const digest = () => z.string().regex(/^sha256:[a-f0-9]{64}$/);
const text = () => z.string().max(10_000);

const platformSchema = z.looseObject({
  architecture: text(),
  os: text(),
  variant: text().optional(),
});
const descriptorSchema = z.looseObject({
  digest: digest(),
  platform: platformSchema.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});
type Descriptor = z.infer<typeof descriptorSchema>;

const schemas = lazily(() => ({
  /** An index, or a manifest. */
  manifest: z.looseObject({
    manifests: z.array(descriptorSchema).max(1_000).optional(),
    config: z.looseObject({ digest: digest() }).optional(),
  }),
  docker: z
    .array(z.looseObject({ Config: text(), RepoTags: z.array(text()).nullish() }))
    .min(1)
    .max(1_000),
  config: platformSchema.extend({
    rootfs: z.looseObject({ diff_ids: z.array(digest()).max(1_000) }),
    history: z
      .array(z.looseObject({ empty_layer: z.boolean().optional() }))
      .max(10_000)
      .nullish(),
  }),
}));

/**
 * Reads an image: an OCI layout folder, an archive of one, or one of `docker save`. `platform`: of several, `linux/amd64` by default. Digests
 * are verified; contents of layers are not read, nor the commands that made them, which may contain secrets. Throws `ImageError` and `FileError`.
 */
export async function readImage(path: string, platform?: string): Promise<ScannedImage> {
  return await closing(openImageFiles(path), async (files) => {
    const index = await files.read('index.json');
    if (index !== undefined) return await fromLayout(path, files, index, platform);
    const docker = await files.read('manifest.json');
    if (docker !== undefined) return await fromDocker(path, files, docker);
    throw new ImageError('not-an-image', `${path}: neither index.json nor manifest.json is in it`);
  });
}

async function fromLayout(
  path: string,
  files: ImageFiles,
  index: Buffer,
  wanted: string | undefined,
): Promise<ScannedImage> {
  const found: { config: string; platform: string | undefined; reference: string | undefined }[] = [];
  let visited = 0;
  const visit = async (content: Buffer, name: string, from: Descriptor | undefined, depth: number) => {
    visited += 1;
    if (visited > MAX_MANIFESTS) {
      throw new ImageError('too-large', `${path}: more than ${MAX_MANIFESTS} manifests`);
    }
    if (depth > MAX_DEPTH) throw new ImageError('damaged', `${path}: its indexes lead to each other`);
    const manifest = parse(path, name, content, schemas().manifest);
    if (manifest.config !== undefined) {
      const reference = from?.annotations?.[REFERENCE];
      const platform = from?.platform === undefined ? undefined : platformOf(from.platform);
      found.push({ config: manifest.config.digest, platform, reference });
      return;
    }
    for (const one of manifest.manifests ?? []) {
      // Attestations are listed as images of an unknown platform.
      if (one.platform?.os === 'unknown') continue;
      const named = { ...one, annotations: { ...from?.annotations, ...one.annotations } };
      await visit(await blobOf(path, files, one.digest), one.digest, named, depth + 1);
    }
  };
  await visit(index, 'index.json', undefined, 0);
  const platforms = found.map((one) => one.platform ?? 'not stated');
  const chosen = choose(found, wanted);
  if (chosen === undefined) {
    throw new ImageError(
      'no-such-platform',
      `${path}: no image for ${wanted ?? 'linux/amd64'}; it has ${platforms.join(', ') || 'none'}`,
    );
  }
  const { config, reference } = chosen;
  return imageOf(path, await blobOf(path, files, config), config, reference, wanted);
}

type Found = {
  readonly config: string;
  readonly platform: string | undefined;
  readonly reference: string | undefined;
};

function choose(found: readonly Found[], wanted: string | undefined): Found | undefined {
  const fits = (one: Found) => one.platform === (wanted ?? 'linux/amd64');
  const only =
    found.length === 1 && (wanted === undefined || found[0]?.platform === undefined) ? found[0] : undefined;
  return found.find(fits) ?? only;
}

async function fromDocker(path: string, files: ImageFiles, content: Buffer): Promise<ScannedImage> {
  const [first] = parse(path, 'manifest.json', content, schemas().docker);
  const { Config: name = '', RepoTags } = first ?? {};
  const config = await files.read(name);
  if (config === undefined) throw new ImageError('damaged', `${path}: ${name} is not in it`);
  const hash = sha256(config);
  const [stated] = /[a-f0-9]{64}/.exec(name) ?? [];
  if (stated !== undefined && `sha256:${stated}` !== hash) throw mismatch(path, name);
  return imageOf(path, config, hash, RepoTags?.[0], undefined);
}

function imageOf(
  path: string,
  content: Buffer,
  digest: string,
  reference: string | undefined,
  wanted: string | undefined,
): ScannedImage {
  const config = parse(path, digest, content, schemas().config);
  const platform = platformOf(config);
  if (wanted !== undefined && platform !== wanted) {
    throw new ImageError(
      'no-such-platform',
      `${path}: it is an image for ${platform}, and not for ${wanted}`,
    );
  }
  return {
    ...(reference === undefined ? {} : { reference }),
    platform,
    digest,
    layers: chainsOf(config.rootfs.diff_ids, config.history ?? []),
  };
}

async function blobOf(path: string, files: ImageFiles, digest: string): Promise<Buffer> {
  const name = `blobs/${digest.replace(':', '/')}`;
  const content = await files.read(name);
  if (content === undefined) throw new ImageError('damaged', `${path}: ${name} is not in it`);
  if (sha256(content) !== digest) throw mismatch(path, name);
  return content;
}

function parse<Value>(path: string, name: string, content: Buffer, schema: z.ZodType<Value>): Value {
  try {
    return schema.parse(JSON.parse(content.toString('utf8')));
  } catch (cause) {
    const first = cause instanceof z.ZodError ? cause.issues[0] : undefined;
    const reason = first === undefined ? 'no JSON' : `${first.path.join('.') || 'it'}: ${first.message}`;
    throw new ImageError('damaged', `${path}: ${name} cannot be read (${reason})`, { cause });
  }
}

function platformOf({ os, architecture, variant }: z.infer<typeof platformSchema>): string {
  return [os, architecture, ...(variant === undefined || variant === '' ? [] : [variant])].join('/');
}

function mismatch(path: string, name: string): ImageError {
  return new ImageError('damaged', `${path}: ${name} does not have its digest`);
}

function sha256(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** Manifests and configurations of images have some kilobytes. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** The small files of an image. */
interface ImageFiles {
  /** `undefined` when there is no such file. Throws `ImageError` and `FileError`. */
  read(name: string): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** Opens an OCI layout folder, or a tar archive. Throws `ImageError` and `FileError`. */
async function openImageFiles(image: string): Promise<ImageFiles> {
  const isFolder = await stat(image).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? folderFiles(image) : await archiveFiles(image);
}

function folderFiles(folder: string): ImageFiles {
  return {
    async read(name) {
      const reading = readFile(path.join(folder, name), { maxBytes: MAX_FILE_BYTES, within: folder });
      return await reading.catch(undefinedFor(Error, 'not-found'));
    },
    async close() {},
  };
}

async function archiveFiles(archive: string): Promise<ImageFiles> {
  const tar = await openTar(archive);
  return {
    async read(name) {
      const entry = tar.entries.get(name);
      if (entry === undefined) return undefined;
      if (entry.bytes > MAX_FILE_BYTES) {
        throw new ImageError('too-large', `${archive}: ${name} exceeds the limit of ${MAX_FILE_BYTES} bytes`);
      }
      return await tar.read(entry);
    },
    close: tar.close,
  };
}

/** The digest of a layer without any file, as every tool writes it. */
const EMPTY_LAYER = 'sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef';

interface ImageHistory {
  readonly empty_layer?: boolean | undefined;
}

/**
 * The chains of layers that are not empty, the lowest first, by the OCI specification: the identifier of the first layer is its digest, and
 * each other one is the digest of the identifier below and its own digest. Each layer has the identifier of the chain without empty layers, and
 * the one with them where that differs. An empty layer may be one of the listed layers, or only part of the history; a chain with empty layers
 * ends with those that follow its last layer.
 */
export function chainsOf(diffIds: readonly string[], history: readonly ImageHistory[]): string[][] {
  const layers: Set<string>[] = [];
  let [without, withEmpty]: (string | undefined)[] = [undefined, undefined];
  for (const diffId of stepsOf(diffIds, history)) {
    withEmpty = chain(withEmpty, diffId);
    if (diffId !== EMPTY_LAYER) {
      without = chain(without, diffId);
      layers.push(new Set([without]));
    }
    // Empty layers below the first one belong to it.
    layers.at(-1)?.add(withEmpty);
  }
  return layers.map((ids) => [...ids]);
}

/** The digests of layers in the order of the history. A history that does not fit the layers says nothing. */
function stepsOf(diffIds: readonly string[], history: readonly ImageHistory[]): readonly string[] {
  const stated = history.filter(({ empty_layer }) => empty_layer !== true).length;
  if (stated !== diffIds.length) return diffIds;
  const left = diffIds.values();
  return history.map(({ empty_layer }) =>
    empty_layer === true ? EMPTY_LAYER : (left.next().value ?? EMPTY_LAYER),
  );
}

function chain(below: string | undefined, diffId: string): string {
  if (below === undefined) return diffId;
  return `sha256:${createHash('sha256').update(`${below} ${diffId}`).digest('hex')}`;
}
