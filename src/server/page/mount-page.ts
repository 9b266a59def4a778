import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { undefinedFor } from '../../model/errors.ts';
import { Refusal } from '../../operations/refusal.ts';

/** The paths of the views. They all answer with the same document; its script shows the view of the path. */
export const VIEW_PATHS: readonly string[] = [
  '/',
  '/issues',
  '/findings',
  '/charts',
  '/finding',
  '/targets',
  '/target',
  '/packages',
  '/inventory',
  '/graph',
  '/exceptions',
  '/scan',
  '/changes',
  '/suppressions',
  '/deliveries',
  '/schedules',
  '/rejected',
  '/queues',
  '/tokens',
];

/** Whether a browser asks for a document at an address that no route has: the page then says what it names, or that there is nothing. */
export function opensPage({ method, url, headers: { accept = '' } }: FastifyRequest): boolean {
  return method === 'GET' && accept.includes('text/html') && !/^\/(?:api|page)(?:\/|$)/.test(url);
}

/** The path at which the document finds its script and its style sheet. */
const ASSETS = '/page/';

/**
 * The page runs its own script and style sheet and talks to its own server. It creates no mark-up from text, which the browser
 * enforces (`trusted-types`).
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/**
 * Adds the live page. Its files have no data, so they need no role: the page asks the API. `folder`: where the build wrote them, with a
 * trailing slash.
 */
export function mountPage(app: FastifyInstance, folder: URL): void {
  let reading: Promise<ReadonlyMap<string, PageFile> | undefined> | undefined;
  const find = async (name: string): Promise<PageFile> => {
    reading ??= readPageFiles(folder);
    const files = await reading.catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    if (files === undefined) {
      throw new Refusal(503, 'page-not-built', 'the page is not built: run `npm run build`; the API works');
    }
    const file = files.get(name);
    if (file === undefined) throw new Refusal(404, 'no-route', `no file ${name} of the page`);
    return file;
  };
  for (const path of VIEW_PATHS) {
    app.get(path, async (request, reply) => {
      reply.header('content-security-policy', POLICY).header('cache-control', 'no-cache');
      return send(request, reply, await find('index.html'));
    });
  }
  app.setNotFoundHandler(async (request, reply) => {
    const isNamed = /^\/(?:targets|findings|issues)\/./.test(request.url);
    reply
      .code(isNamed ? 200 : 404)
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-cache');
    return send(request, reply, await find('index.html'));
  });
  app.get(`${ASSETS}:name`, async (request, reply) => {
    const file = await find((request.params as { readonly name: string }).name);
    // Names contain a hash of the content.
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return send(request, reply, file);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  const { headers, content } = encodedFor(file, request.headers['accept-encoding']);
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).header('etag', file.etag).send();
  return reply.headers(headers).send(content);
}

/** A file of the page in all encodings. */
interface PageFile {
  readonly type: string;
  readonly etag: string;
  /** The contents by the name of the encoding; `identity` is always there. */
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
async function readPageFiles(folder: URL): Promise<ReadonlyMap<string, PageFile> | undefined> {
  const names = await readdir(folder).catch(undefinedFor(Error, 'ENOENT'));
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
function encodedFor(
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
