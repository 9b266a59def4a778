import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';

/** A file of the page in all encodings. */
export interface PageFile {
  readonly type: string;
  readonly etag: string;
  /** By the name of the encoding; `identity` is always there. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const ENCODINGS: readonly (readonly [encoding: string, suffix: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
  ['identity', ''],
];

/** The files of the built page by name. `undefined` when the folder does not exist: a checkout that was never built. */
export async function readPageFiles(folder: URL): Promise<ReadonlyMap<string, PageFile> | undefined> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (names === undefined) return undefined;
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const type = TYPES[name.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    const contents = new Map<string, Buffer>();
    for (const [encoding, suffix] of ENCODINGS) {
      if (names.includes(name + suffix)) {
        contents.set(encoding, await readFile(new URL(name + suffix, folder)));
      }
    }
    const content = contents.get('identity') ?? '';
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
    files.set(name, { type, etag, contents });
  }
  return files;
}

/** The content of a file in the best encoding that the browser accepts. */
export function encodedFor(
  { contents, type, etag }: PageFile,
  accepted: string | undefined,
): { readonly headers: OutgoingHttpHeaders; readonly content: Buffer } {
  const names = new Set((accepted ?? '').split(',').map((part) => part.trim().split(';', 1)[0]));
  for (const [encoding, content] of contents) {
    if (encoding === 'identity' || !names.has(encoding)) continue;
    const headers = { 'content-type': type, 'content-encoding': encoding, etag, vary: 'accept-encoding' };
    return { headers, content };
  }
  const headers = { 'content-type': type, etag, vary: 'accept-encoding' };
  return { headers, content: contents.get('identity') ?? Buffer.alloc(0) };
}
