import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockhound } from '../../cli/lockhound.ts';
import { until } from '../../until.ts';
import { type GateRoom, openGateRoom } from './gate-room.ts';
import { NPM_PROJECTS } from './npm-projects.ts';

const PATH = '/-/npm/v1/security/advisories/bulk';
const folder = mkdtempSync(join(tmpdir(), 'npm-audit-'));

let gate: GateRoom;

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  gate.api.request(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gate.tokens.team}`, ...headers },
    body: body as string,
  });

beforeAll(async () => {
  gate = await openGateRoom(undefined, { partial: false });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gate.close();
});

/** An audit of a project by the registry that its `.npmrc` names. */
type Audit = (project: string) => Promise<{ readonly vulnerabilities?: object; readonly error?: object }>;

const byProgram: Audit = async (project) => {
  const { stdout } = await promisify(execFile)('npm', ['audit', '--json', '--package-lock-only'], {
    cwd: project,
    env: { PATH: process.env['PATH'], HOME: project },
  }).catch((error: { readonly stdout: string }) => error);
  return JSON.parse(stdout);
};

/** The library by which npm audits, of the npm that is installed: the program takes two seconds of processor time to start. */
const byLibrary: Audit = async (project) => {
  const programs = (process.env['PATH'] ?? '').split(delimiter).map((one) => join(one, 'npm'));
  const npm = createRequire(realpathSync(programs.find((one) => existsSync(one)) ?? 'npm'));
  const Arborist = npm('@npmcli/arborist');
  const { url } = gate.api.server;
  const options = { path: project, cache: join(project, 'cache'), registry: `${url}/`, audit: true };
  const token = { [`//${new URL(url).host}/:_authToken`]: gate.tokens.team };
  const retry = { retries: 0 };
  const report = await new Arborist({ ...options, ...token, retry, packageLockOnly: true }).audit();
  return { ...report.toJSON(), error: report.error ?? undefined };
};

/** Expects the same advisories of the same packages from an audit of a project and from `lockhound scan`. */
async function expectSame(name: string, audit: Audit): Promise<void> {
  const project = mkdtempSync(join(folder, 'project-'));
  for (const [path, content] of Object.entries(NPM_PROJECTS[name] ?? {})) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), JSON.stringify(content));
  }
  const { url } = gate.api.server;
  const token = `//${new URL(url).host}/:_authToken=${gate.tokens.team}`;
  writeFileSync(join(project, '.npmrc'), `registry=${url}/\n${token}\nfetch-retries=0\n`);
  const { vulnerabilities = {}, error } = await audit(project);
  expect(error).toBeUndefined();
  // A text names a vulnerable package that the entry requires.
  const audited = Object.values(
    vulnerabilities as Record<string, { via: (string | { name: string; url: string })[] }>,
  ).flatMap(({ via }) => via.flatMap((one) => (typeof one === 'string' ? [] : `${one.name} ${one.url}`)));
  const config = join(folder, 'lockhound.yaml');
  writeFileSync(config, `insights: { url: '${gate.insights.url}' }\n`);
  const { out } = await lockhound(['scan', project, '--json', '--no-advice', '--config', config]);
  const scanned: readonly string[] = JSON.parse(out)
    .findings.filter(({ rule }: { rule: string }) => rule === 'vulnerability')
    .map(
      (one: { package: { name: string }; advisory: { url: string } }) =>
        `${one.package.name} ${one.advisory.url}`,
    );
  expect(scanned.length > 0).toBe(name !== 'nothing to report');
  expect([...new Set(audited)].sort()).toEqual([...new Set(scanned)].sort());
}

describe('npm audit', () => {
  it.each(Object.keys(NPM_PROJECTS))('reports the findings of scan: %s', async (name) => {
    await expectSame(name, byLibrary);
  });

  it('reports them as a program, too', async () => {
    await expectSame('version 1', byProgram);
  });
});

describe('questions of which too many wait', () => {
  it('are refused at once, and those of other callers are answered', async () => {
    const { insights, api, tokens } = gate;
    const send = (path: string, token: string, body: object, signal?: AbortSignal) =>
      api.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
    const check = (token: string, name: string) =>
      send('/api/v1/packages/check', token, { packages: [name] });
    const gone = new AbortController();
    // Work that is begun does not end before the callers are gone.
    insights.faults.latencyMs = 9_000;
    const audits = Array.from({ length: 60 }, (_, audit) => {
      const names = Array.from({ length: 1_000 }, (__, index) => [`none-${audit}-${index}`, ['1.0.0']]);
      const asked = send(PATH, tokens.team, Object.fromEntries(names), gone.signal);
      return asked.then(
        ({ status }) => status,
        () => 'gone',
      );
    });
    const counts = new Map<number | string, number>();
    for (const audit of audits) void audit.then((one) => counts.set(one, (counts.get(one) ?? 0) + 1));
    await until('all but those that run or wait are refused', () => counts.get(429) === 8);
    const refused = await check(tokens.team, 'lodash@4.17.20');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(refused.text).toContain('too many questions wait: ask again later');
    const other = check(tokens.all, 'lodash@4.17.20');
    insights.faults.latencyMs = 0;
    gone.abort();
    await Promise.all(audits);
    expect([...counts]).toEqual([
      [429, 8],
      ['gone', 52],
    ]);
    expect((await other).status).toBe(200);
    expect((await check(tokens.team, 'lodash@4.17.20')).status).toBe(200);
  });
});

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
    gate.insights.faults.inject({ kind: 'answer', status: 500 }, { times: 1_000 });
    const { status, json } = await post(JSON.stringify({ 'never-asked': ['1.0.0'] }));
    gate.insights.faults.clear();
    expect([status, json['never-asked']]).toMatchObject([
      200,
      [{ severity: 'info', vulnerable_versions: '1.0.0' }],
    ]);
  });

  it('says that an advisory of a version could not be read, beside those that could', async () => {
    gate.insights.faults.inject(
      { kind: 'answer', status: 500 },
      { times: 1_000, when: ({ url }) => url.includes('/advisories/GHSA-f2jv-r9rf-7988') },
    );
    const { json } = await post(JSON.stringify({ handlebars: ['4.7.6'] }));
    gate.insights.faults.clear();
    expect(json.handlebars.map(({ severity }: { severity: string }) => severity)).toContain('info');
    expect(JSON.stringify(json.handlebars)).toContain('GHSA-765h-qjxv-5f44');
  });

  it.each(['[]', 'null', '{"lodash":"4.17.20"}', '{"lodash":[4]}', '{"lodash":[null]}'])(
    'refuses %s',
    async (body) => expect((await post(body)).status).toBe(400),
  );

  it('refuses what is too large, callers without a token, and everything else that a registry does', async () => {
    expect((await post(JSON.stringify({ a: ['x'.repeat(10_000_000)] }))).status).toBe(413);
    expect((await post('{}', { authorization: 'Bearer none' })).status).toBe(401);
    expect((await gate.api.request('/lodash')).json).toMatchObject({ status: 404, detail: 'no GET /lodash' });
    expect((await gate.api.request('/-/npm/v1/security/audits/quick', { method: 'POST' })).status).toBe(404);
    expect((await gate.api.request(PATH)).status).toBe(405);
  });
});
