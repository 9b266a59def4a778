import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InsightsService, startInsightsService } from '../../../src/embedded/insights/service.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import { lockhound } from '../../cli/lockhound.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

const PATH = '/-/npm/v1/security/advisories/bulk';
const LOCKED = { lodash: '4.17.20', minimist: '1.2.5', ms: '2.1.2', 'node-fetch': '2.6.0' };
const project = mkdtempSync(join(tmpdir(), 'npm-audit-'));

let room: Awaited<ReturnType<typeof openServeRoom>>;
let api: Awaited<ReturnType<typeof room.serve>>;
let insights: InsightsService;
let token: string;

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  api.request(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body: body as string,
  });

beforeAll(async () => {
  insights = await startInsightsService();
  room = await openServeRoom();
  const tokens = newTokens(createApiTokenStore(room.redis, room.fleets[0]?.keys as never));
  token = (await tokens.create({ name: 'npm', role: 'read', targets: ['a/*'] })).token;
  api = await room.serve({ LOCKHOUND_INSIGHTS_URL: insights.url }, token);
  const packages = Object.entries(LOCKED).map(([name, version]) => [
    `node_modules/${name}`,
    { version, resolved: `https://registry.yarnpkg.com/${name}/-/${name}-${version}.tgz` },
  ]);
  const lock = {
    name: 'shop',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'shop', version: '1.0.0', dependencies: LOCKED },
      ...Object.fromEntries(packages),
    },
  };
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'shop', version: '1.0.0', dependencies: LOCKED }),
  );
  const host = new URL(api.server.url).host;
  writeFileSync(
    join(project, '.npmrc'),
    `registry=${api.server.url}/\n//${host}/:_authToken=${token}\nfetch-retries=0\n`,
  );
});
afterAll(async () => {
  rmSync(project, { recursive: true });
  await room.close();
  await insights.close();
});

describe('npm audit', () => {
  it('reports the findings of scan', async () => {
    const audit = await promisify(execFile)('npm', ['audit', '--json', '--package-lock-only'], {
      cwd: project,
      timeout: 60_000,
      env: { PATH: process.env['PATH'], HOME: project },
    }).catch((error: { readonly stdout: string }) => error);
    const { vulnerabilities = {}, error } = JSON.parse(audit.stdout);
    expect(error).toBeUndefined();
    const audited = Object.values(vulnerabilities as Record<string, { name: string; via: { url: string }[] }>)
      .flatMap(({ name, via }) => via.map(({ url }) => `${name} ${url}`))
      .sort();
    const { out } = await lockhound([
      ...['scan', join(project, 'package-lock.json'), '--json', '--no-advice'],
      ...['--config', configFile(insights.url)],
    ]);
    const scanned = JSON.parse(out)
      .findings.filter(({ rule }: { rule: string }) => rule === 'vulnerability')
      .map(
        (one: { package: { name: string }; advisory: { url: string } }) =>
          `${one.package.name} ${one.advisory.url}`,
      )
      .sort();
    expect(audited.length).toBeGreaterThan(2);
    expect(audited).toEqual(scanned);
  });
});

function configFile(url: string): string {
  const file = join(project, 'lockhound.yaml');
  writeFileSync(file, `insights: { url: '${url}' }\n`);
  return file;
}

describe('the bulk advisory request', () => {
  it('answers by name, also compressed', async () => {
    const body = JSON.stringify({ lodash: ['4.17.20', '4.17.20', '4.17.21'], ms: ['2.1.2'] });
    const { status, json } = await post(gzipSync(body), { 'content-encoding': 'gzip' });
    expect([status, Object.keys(json)]).toEqual([200, ['lodash']]);
    const entry = json.lodash.find(({ url }: { url: string }) => url.includes('GHSA-35jh-r3h4-6jhm'));
    expect(entry).toMatchObject({
      id: expect.any(Number),
      severity: 'high',
      vulnerable_versions: '4.17.20',
      cwe: [],
      cvss: { score: 7.2 },
    });
  });

  it('does not take a version without an answer as one without advisories', async () => {
    insights.faults.inject({ kind: 'answer', status: 500 }, { times: 1_000 });
    const { status, json } = await post(JSON.stringify({ 'never-asked': ['1.0.0'] }));
    insights.faults.clear();
    expect([status, json['never-asked']]).toMatchObject([
      200,
      [{ severity: 'info', vulnerable_versions: '1.0.0' }],
    ]);
  });

  it.each(['[]', 'null', '{"lodash":"4.17.20"}', '{"lodash":[4]}', '{"lodash":[null]}'])(
    'refuses %s',
    async (body) => expect((await post(body)).status).toBe(400),
  );

  it('refuses what is too large, callers without a token, and everything else that a registry does', async () => {
    expect((await post(JSON.stringify({ a: ['x'.repeat(10_000_000)] }))).status).toBe(413);
    expect((await post('{}', { authorization: 'Bearer none' })).status).toBe(401);
    expect((await api.request('/lodash')).json).toMatchObject({ status: 404, detail: 'no GET /lodash' });
    expect((await api.request('/-/npm/v1/security/audits/quick', { method: 'POST' })).status).toBe(404);
    expect((await api.request(PATH)).status).toBe(405);
  });
});
