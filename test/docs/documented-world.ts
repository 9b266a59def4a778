import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { vi } from 'vitest';
import type { InsightsService } from '../../src/embedded/insights/service.ts';
import { affectedVersions } from '../../src/insights/losses/witnesses.ts';
import type { NewToken } from '../../src/model/api/lockhound-api.generated.ts';
import { startServe } from '../../src/server/serve.ts';
import { writeZip } from '../advisories/zip.ts';
import { lockhound } from '../cli/lockhound.ts';
import { EPSS_CSV } from '../exploits/lists.ts';
import { startTestServer } from '../http/test-server.ts';
import { createWorld, SECRETS } from '../pipeline/world.ts';
import { newTokens } from '../server/serve/new-token.ts';
import { until } from '../until.ts';
import { NAMED, SHOP, writeFiles, writeNpm } from './documented-files.ts';

export type DocumentedWorld = Awaited<ReturnType<typeof openDocumentedWorld>>;

/**
 * Everything that the documents name: a repository with branches and tags as the working directory, files, services, a fleet that a worker
 * in this process watches, a server, and a host of published lists. The environment and the working directory of this process are
 * those of a reader until it is closed.
 */
export async function openDocumentedWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'documented-'));
  const home = mkdtempSync(join(tmpdir(), 'documented-home-'));
  const before = process.cwd();
  const bin = join(home, 'bin');
  const world = await createWorld();
  const room = await world.room('documented', [], {
    recordTtl: '1h',
    config: [
      'watch: { every: 0s, young: 0s }',
      'serve: { port: 0, sources: [{ url: "https://git.example/org/*" }] }',
      'credentials: { github: { hosts: [git.invalid], header: authorization, secret: { env: LOCKHOUND_SECRET_GITHUB } } }',
    ],
  });
  serve(world.services.insights);
  const lists = await startLists();
  const tokens = newTokens(room.store.apiTokens);
  const given: string[] = [];
  writeFiles(folder, home);
  writeNpm(bin);
  cpSync(room.file, join(folder, 'lockhound.yaml'));
  const environment = {
    HOME: home,
    PATH: `${bin}:${process.env['PATH']}`,
    XDG_CACHE_HOME: join(home, 'cache'),
    REDIS_URL: world.redisUrl,
    LOCKHOUND_DATA_FOLDER: join(home, 'data'),
    LOCKHOUND_LOG_LEVEL: 'silent',
    LOCKHOUND_WORKER_LOCK_DURATION: '20s',
    LOCKHOUND_SECRET_API_KEY: SECRETS.apiKey,
    LOCKHOUND_SECRET_APPLICATION_KEY: SECRETS.applicationKey,
    LOCKHOUND_SECRET_ALERT_TOKEN: SECRETS.alertToken,
    LOCKHOUND_SECRET_SIGNING: SECRETS.signing,
    LOCKHOUND_SECRET_GITHUB: 'a',
    GIT_CONFIG_GLOBAL: '/dev/null',
    npm_config_cache: join(home, 'npm'),
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  process.chdir(folder);
  const worker = room.work();
  await fill();
  const server = await startServe(room.load());
  await server.follow();
  return {
    folder,
    server: server.url,
    receiver: world.services.receiver.url,
    insights: world.services.insights.url,
    lists: lists.url,
    /** A token that is valid until `revokeTokens`. */
    async token(role: NewToken['role']): Promise<string> {
      const created = await tokens.create({ name: `documented-${given.length}`, role });
      given.push(created.id);
      return created.token;
    },
    async revokeTokens(): Promise<void> {
      for (const id of given.splice(0)) await tokens.revoke(id);
    },
    async close() {
      process.chdir(before);
      await server.close();
      await worker.stop();
      await lists.close();
      await world.close();
      for (const one of [folder, home]) rmSync(one, { recursive: true });
    },
  };
}

/** Makes the service know the packages that lines name, and the well-known versions that prove that it has lost nothing. */
function serve(insights: InsightsService): void {
  const wanted = [
    ...Object.entries({ ...SHOP, ...NAMED }).map(([name, version]) => ({ name, version })),
    ...affectedVersions('NPM'),
  ];
  for (const { name, version } of wanted) {
    const { versions = [], ...known } = insights.findPackage({ system: 'NPM', name }) ?? {};
    const all = versions.some((one) => one.version === version) ? versions : [...versions, { version }];
    const dated = all.map((one) => ({ publishedAt: '2024-01-01T00:00:00Z', ...one }));
    insights.putPackage({ ...known, system: 'NPM', name, versions: dated });
  }
  const invented = { title: 'Invented', score: 9.8, heldBack: false };
  const affected = affectedVersions('NPM').map(({ name, version }) => ({
    system: 'NPM' as const,
    name,
    range: version,
  }));
  insights.learnAdvisory({ ...invented, id: 'GHSA-docs-0000-0001', aliases: [], affected });
  insights.learnAdvisory({
    ...{ ...invented, id: 'GHSA-docs-0000-0002', aliases: ['CVE-2026-1234'] },
    affected: [{ system: 'NPM', name: 'debug', range: '4.4.2' }],
  });
}

/** Targets, releases and files that commands write. */
async function fill(): Promise<void> {
  const succeed = async (...args: readonly string[]): Promise<string> => {
    const { code, out, note } = await lockhound(args);
    if (code > 1) throw new Error(`lockhound ${args.join(' ')}: ${out}${note}`);
    return out;
  };
  const scans = [
    ['old', '--target', 'org/shop', '--label', 'team=web'],
    ['new', '--target', 'org/shop', '--label', 'team=web'],
    ['old', '--target', 'org/shop', '--label', 'team=web'],
    ['old', '--target', 'org/old-shop', '--label', 'team=checkout'],
    ['new', '--target', 'org/shop', '--release', '2.4.1', '--supported-until', '2028-01-01'],
  ];
  for (const args of scans) await succeed('enqueue', ...args, '--wait');
  await succeed('scan', '.', '--report', 'json=accepted.json');
  await until('an alert is delivered', async () =>
    (await succeed('deliveries', '--json')).includes('"delivered"'),
  );
}

/** Records of the well-known versions that prove that the advisories of an ecosystem are all there. */
const WITNESSES = Object.fromEntries(
  affectedVersions('NPM').map(({ name, version }, at) => {
    const fixed = version.replace(/\d+$/, (last) => String(Number(last) + 1));
    const ranges = [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }];
    const affected = [{ package: { ecosystem: 'npm', name }, ranges }];
    const id = `GHSA-witness-${at}`;
    return [`${id}.json`, JSON.stringify({ id, modified: '2026-05-01T00:00:00Z', affected })];
  }),
);

/** A host that publishes lists as OSV and FIRST do. */
async function startLists() {
  const affected = [{ package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] }];
  const record = JSON.stringify({ id: 'GHSA-left', modified: '2026-05-01T00:00:00Z', affected });
  const files: Readonly<Record<string, string | Buffer>> = {
    '/npm/all.zip': writeZip({ 'GHSA-left.json': record, ...WITNESSES }),
    '/npm/modified_id.csv': '2026-05-01T00:00:00Z,GHSA-left\n',
    '/npm/GHSA-left.json': record,
    '/epss_scores-current.csv.gz': gzipSync(EPSS_CSV),
  };
  return await startTestServer((request, response) => {
    const body = files[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200).end(body ?? '');
  });
}
