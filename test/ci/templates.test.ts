import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { MAIN } from '../prepare.ts';
import { DATA, type Packages, WRITERS } from '../review/histories.ts';
import { git, openRepositories, type Repositories } from '../sources/repositories.ts';

const ROOT = join(import.meta.dirname, '../..');
const LOCKHOUND = `${process.execPath} ${MAIN}`;
const template = parse(readFileSync(join(ROOT, 'examples/gitlab-ci.yml'), 'utf8')).lockhound;
const lock = (packages: Packages) => WRITERS['package-lock.json']?.(packages) ?? '';

let repositories: Repositories;
let service: InsightsService;

beforeAll(async () => {
  repositories = openRepositories();
  service = await startInsightsService({ data: DATA });
});
afterAll(async () => {
  await service.close();
  repositories.close();
});

/** A repository whose last commit adds a package with an issue. */
function history(name: string) {
  const { folder, commit } = repositories.create(name, { 'package-lock.json': lock({ flawed: '1.0.0' }) });
  const base = git(folder, 'rev-parse', 'HEAD');
  commit({ 'package-lock.json': lock({ flawed: '1.1.0' }) });
  return { folder, base };
}

async function run(folder: string, script: string, environment: Readonly<Record<string, string>>) {
  writeFileSync(join(folder, 'script.sh'), script);
  const child = spawn('sh', ['-e', 'script.sh'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      LOCKHOUND,
      LOCKHOUND_INSIGHTS_URL: service.url,
      ...environment,
    },
  });
  let log = '';
  child.stdout.on('data', (chunk) => (log += chunk));
  child.stderr.on('data', (chunk) => (log += chunk));
  const [code] = await once(child, 'close');
  return { code, log };
}

/** What a script calls where there is no base, and its exit code when that finds something. */
async function withoutBase(folder: string, script: string, variables: Readonly<Record<string, string>> = {}) {
  const options = { mode: 0o755 };
  writeFileSync(join(folder, 'lockhound'), '#!/bin/sh\necho "$@" > called\nexit 1\n', options);
  const { code } = await run(folder, script, { ...variables, LOCKHOUND: './lockhound' });
  return { code, called: readFileSync(join(folder, 'called'), 'utf8') };
}

const WHOLE = { code: 1, called: expect.stringMatching(/^scan (?!.*--since).* json=lockhound\.json$/m) };

describe('the template for GitLab', () => {
  it('fails by what a merge request brings, and writes its reports', async () => {
    const { folder, base } = history('gitlab');
    const script = (template.script as string[]).join('\n');
    const variables = { CI_PROJECT_PATH: 'acme/shop', CI_PROJECT_DIR: folder };
    const change = await run(folder, script, { ...variables, CI_MERGE_REQUEST_DIFF_BASE_SHA: base });
    expect(change.log).toContain('no new findings, 0 gone, 1 unchanged');
    expect(change.code).toBe(0);
    const sbom = JSON.parse(readFileSync(join(folder, template.artifacts.reports.cyclonedx), 'utf8'));
    expect(sbom.bomFormat).toBe('CycloneDX');
    for (const path of template.artifacts.paths) expect(existsSync(join(folder, path))).toBe(true);
    expect(await withoutBase(folder, script, variables)).toEqual(WHOLE);
  });
});

describe('the script for other hosts', () => {
  it('fails by what a change brings', async () => {
    const { folder, base } = history('script');
    const script = readFileSync(join(ROOT, 'examples/ci.sh'), 'utf8');
    expect((await run(folder, script, { BASE: base })).code).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'lockhound.sarif'), 'utf8')).version).toBe('2.1.0');
    expect(await withoutBase(folder, script)).toEqual(WHOLE);
  });
});

it('versions are exact', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const file of ['examples/gitlab-ci.yml', 'examples/ci.sh']) {
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(`lockhound@${version}`);
  }
});
