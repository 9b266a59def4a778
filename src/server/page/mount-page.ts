import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../operations/refusal.ts';
import { encodedFor, type PageFile, readPageFiles } from './page-files.ts';

/** The paths of the views. They all answer with the same document; its script shows the view of the path. */
export const VIEW_PATHS: readonly string[] = [
  '/',
  '/findings',
  '/finding',
  '/targets',
  '/target',
  '/inventory',
  '/changes',
  '/suppressions',
  '/deliveries',
  '/schedules',
  '/rejected',
  '/queues',
  '/tokens',
];

/** Where the document finds its script and its style sheet. */
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
