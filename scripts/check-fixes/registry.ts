import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import compareVersions from 'semver/functions/compare.js';
import major from 'semver/functions/major.js';
import prerelease from 'semver/functions/prerelease.js';
import valid from 'semver/functions/valid.js';
import { z } from 'zod';

const version = z.looseObject({
  deprecated: z.unknown().optional(),
  dist: z.looseObject({ tarball: z.string() }),
});

/** The answer of a registry about a package. */
const packument = z.looseObject({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()).default({}),
  versions: z.record(z.string(), version),
  time: z.record(z.string(), z.string()).default({}),
});

type Packument = z.infer<typeof packument>;

/** The registry that npm is configured for, and views of it that lack later versions. */
export interface Registry {
  /** `undefined` for a package that the registry does not have. */
  read(name: string): Promise<Packument | undefined>;
  /** The URL of a view. */
  urlOf(view: View): string;
  close(): Promise<void>;
}

/** The registry without some versions, so that package managers write the lockfile of a project that was not updated for long. */
export interface View {
  /** By name of a package: there is no later version of the major line of this one. */
  readonly last: ReadonlyMap<string, string>;
  /**
   * Whose addresses archives have. Yarn 1 and npm write them into lockfiles, so they get those of the public registry; the others expect those
   * of the registry that they use.
   */
  readonly addresses: 'own' | 'public';
}

/** `folder`: where answers are kept for this run and the next ones of the same day. */
export async function openRegistry(upstream: string, folder: string): Promise<Registry> {
  await mkdir(folder, { recursive: true });
  const read = (name: string) => readPackument(new URL(encodeURIComponent(name), upstream), name, folder);
  const views: View[] = [];
  const server = createServer((request, response) => {
    const [, number = '', ...path] = (request.url ?? '').split('/');
    const asked = decodeURIComponent(path.join('/'));
    const view = views[Number(number)];
    const own = view?.addresses === 'own' ? `http://${request.headers.host}/${number}/` : undefined;
    const answered =
      asked.includes('/-/') || view === undefined
        ? sendArchive(response, new URL(asked, upstream))
        : read(asked).then((found) => answer(response, found && viewed(found, view.last.get(asked), own)));
    answered.catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    read,
    urlOf: (view) => `http://127.0.0.1:${port}/${views.push(view) - 1}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A redirection would have Yarn 4 open more connections at once than some networks permit. */
async function sendArchive(response: ServerResponse, url: URL): Promise<void> {
  const answered = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  const archive = Buffer.from(await answered.arrayBuffer());
  response.writeHead(answered.status, { 'content-type': 'application/octet-stream' }).end(archive);
}

function answer(response: ServerResponse, found: unknown): void {
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(found ?? { error: 'not found' }));
}

async function readPackument(url: URL, name: string, folder: string): Promise<Packument | undefined> {
  const file = join(folder, `${encodeURIComponent(name)}.json`);
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  const text = kept ?? (await fetchText(url));
  if (kept === undefined) await writeFile(file, text);
  return text === '' ? undefined : packument.parse(JSON.parse(text));
}

/** Empty for what the registry does not have. */
async function fetchText(url: URL): Promise<string> {
  const answered = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  if (answered.status === 404) return '';
  if (!answered.ok) throw new Error(`the registry answers ${answered.status} to ${url.pathname}`);
  return await answered.text();
}

function viewed(found: Packument, last: string | undefined, own: string | undefined): Packument {
  const isShown = (one: string) =>
    valid(one) !== null &&
    (last === undefined || major(one) !== major(last) || compareVersions(one, last) <= 0);
  const versions = Object.fromEntries(
    Object.entries(found.versions)
      .filter(([one]) => isShown(one))
      .map(([one, entry]) => {
        const { tarball } = entry.dist;
        const address = own === undefined ? tarball : new URL(new URL(tarball).pathname.slice(1), own).href;
        return [one, { ...entry, dist: { ...entry.dist, tarball: address } }];
      }),
  );
  const tags = Object.entries(found['dist-tags']).filter(([, tagged]) => tagged in versions);
  const stable = Object.keys(versions).filter((one) => prerelease(one) === null);
  const latest = stable.sort(compareVersions).at(-1) ?? Object.keys(versions).at(-1) ?? '';
  return { ...found, versions, 'dist-tags': { latest, ...Object.fromEntries(tags) } };
}
