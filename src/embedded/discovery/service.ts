import { createHash } from 'node:crypto';
import { BUNDLED_APIS, readBundledDescription } from '../../discovery/bundled.ts';
import type { RestDescription } from '../../discovery/description/description.ts';
import { directoryOf, documentPath, withRootUrl } from '../../discovery/directory/served-directory.ts';
import { EmbeddedError } from '../errors.ts';
import { type ErrorShape, Faults } from '../faults.ts';
import { addFaults, createServer, type LocalService, listen, type ServiceOptions } from '../loopback.ts';
import { matchRoute, routesOf } from '../routes.ts';

const BODY_LIMIT = 1 << 16;

export interface DiscoveryServiceOptions extends ServiceOptions {
  /** The documents that are listed. Default: the bundled ones of other services. */
  readonly documents?: readonly RestDescription[];
  /**
   * Root URLs of the services that run here, by API name. They replace the root URLs in their documents, so that clients
   * built from the documents call these services. The document of the discovery service then names this service.
   */
  readonly rootUrls?: Readonly<Record<string, string>>;
}

export interface DiscoveryService extends LocalService {
  readonly faults: Faults;
  /** Serves this document under its name and version from now on. */
  publish(document: RestDescription): void;
  /** The URL of an API's document. */
  documentUrl(name: string, version: string): string;
  /** Number of answers by status; unchanged documents are answered with 304. */
  answers(): ReadonlyMap<number, number>;
}

/** Starts a local discovery service: a directory, and documents with ETags. */
export async function startDiscoveryService(
  options: DiscoveryServiceOptions = {},
): Promise<DiscoveryService> {
  const faults = new Faults(options);
  // Lockhound serves its own API itself.
  const others = [...BUNDLED_APIS.values()].filter((api) => api !== 'lockhound.v1');
  const own = await Promise.all(others.map(readBundledDescription));
  const published = new Map((options.documents ?? own).map((document) => [keyOf(document), document]));
  const routes = routesOf(await readBundledDescription('discovery.v1'));
  const answers = new Map<number, number>();
  const app = createServer(BODY_LIMIT, NESTED_ERRORS);
  addFaults(app, faults, NESTED_ERRORS);
  app.addHook('onResponse', async (_request, reply) => {
    answers.set(reply.statusCode, (answers.get(reply.statusCode) ?? 0) + 1);
  });
  app.all('/*', async (request, reply) => {
    const match = matchRoute(routes, request.method, request.raw.url ?? '/');
    if (match.kind === 'none') return reply.code(404).send(refusal(404, 'Not found'));
    if (match.kind === 'invalid') return reply.code(400).send(refusal(400, match.reason));
    const { method, parameters } = match;
    if (method.id === 'discovery.apis.list') {
      return reply.send(directoryOf([...published.values()], parameters, `http://${request.host}`));
    }
    const name = `${parameters.get('api')}:${parameters.get('version')}`;
    const found = published.get(name);
    if (found === undefined) return reply.code(404).send(refusal(404, `No such API: ${name}`));
    const text = JSON.stringify(
      options.rootUrls ? localDocument(found, options.rootUrls, request.host) : found,
    );
    const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
    reply.header('etag', etag).header('cache-control', 'public, max-age=300');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(text);
  });
  const service = await listen(app, 'The local discovery service', options);
  return {
    ...service,
    faults,
    publish: (document) => void published.set(keyOf(document), document),
    documentUrl: (name, version) => `${service.url}${documentPath(name, version)}`,
    answers: () => new Map(answers),
  };
}

function keyOf({ id, name, version }: RestDescription): string {
  if (name !== undefined && version !== undefined) return `${name}:${version}`;
  throw new EmbeddedError(
    'document-unusable',
    `${id ?? 'A document'} has no name or no version: both are needed to list it`,
  );
}

function refusal(code: number, message: string): object {
  const reason = code === 404 ? 'notFound' : 'invalidParameter';
  return { error: { code, message, errors: [{ message, domain: 'global', reason }] } };
}

const NESTED_ERRORS: ErrorShape = {
  type: 'application/json; charset=utf-8',
  body: (message) => JSON.stringify(refusal(400, message)),
};

/** Names of this machine that mean another machine in a different container. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::]']);

/**
 * The document with the URL of the local service instead of the public one. `rootUrls` is by API name; `host` is the host
 * of the client's request (`127.0.0.1:8704`), the name by which the client reaches this machine. The document of an API
 * that does not run here is unchanged.
 */
function localDocument(
  document: RestDescription,
  rootUrls: Readonly<Record<string, string>>,
  host: string,
): RestDescription {
  const { name = '' } = document;
  const requested = URL.parse(`http://${host}`);
  const root = name === 'discovery' ? requested : URL.parse(rootUrlOf(name, rootUrls));
  if (root === null) return document;
  if (requested !== null && LOOPBACK.has(root.hostname)) root.hostname = requested.hostname;
  return withRootUrl(document, root.href);
}

function rootUrlOf(name: string, rootUrls: Readonly<Record<string, string>>): string {
  return (Object.hasOwn(rootUrls, name) ? rootUrls[name] : undefined) ?? '';
}
