import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLockfilePaths } from '../../src/commands/lockfile-paths.ts';
import { ingestLockfiles } from '../../src/jobs/ingest-lockfiles.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import type { ResolvedPackage } from '../../src/model/scan/inventory.ts';
import { context, ports } from '../jobs/facts.ts';

function project(artifact: string, body: string): string {
  return `<project><modelVersion>4.0.0</modelVersion><artifactId>${artifact}</artifactId>${body}</project>`;
}

const inherits = (artifact: string) =>
  `<parent><groupId>org.own</groupId><artifactId>${artifact}</artifactId><version>1</version></parent>`;
const POMS: Readonly<Record<string, string>> = {
  'work/pom.xml': project(
    'top',
    `<groupId>org.own</groupId><version>1</version><dependencyManagement><dependencies><dependency>
     <groupId>org.a</groupId><artifactId>a</artifactId><version>7.0</version></dependency></dependencies></dependencyManagement>`,
  ),
  'work/middle/pom.xml': project('middle', inherits('top')),
  'work/middle/leaf/pom.xml': project(
    'leaf',
    `${inherits('middle')}<dependencies><dependency><groupId>org.a</groupId><artifactId>a</artifactId></dependency></dependencies>`,
  ),
};

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockhound-poms-'));
  for (const [path, text] of Object.entries(POMS)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
});

afterAll(() => rm(folder, { recursive: true }));

/** The packages of a scanned folder with their outcomes. */
async function packagesIn(path: string): Promise<readonly ResolvedPackage[]> {
  const found = await readLockfilePaths({ paths: [join(folder, path)], maxBytes: 1_000 });
  const lockfiles = found.map(({ path: named, companions = [], ...rest }) => ({
    path: named,
    content: 'content' in rest ? String(rest.content) : '',
    companions: companions.map(({ name, ...one }) => ({
      name,
      content: 'content' in one ? String(one.content) : '',
    })),
  }));
  const payload = ingestLockfiles.schema().parse({
    scan: 's',
    target: { id: 't' },
    requestedAt: '2026-01-02T00:00:00Z',
    lockfiles,
  });
  const resolve = async (packages: readonly LockedPackage[]) => ({
    resolutions: packages.map(() => ({ outcome: 'unsupported' as const, reason: 'a test' })),
    retryable: false,
  });
  const { result } = await ingestLockfiles.run(payload, ports({ insights: { resolve } }), context());
  return result.lockfiles.flatMap(({ packages }) => packages);
}

describe('poms that inherit from folders above', () => {
  it('are read with them', async () => {
    expect((await packagesIn('work')).map(({ id }) => id)).toEqual(['org.a:a@7.0']);
  });

  it('without files above the named folder', async () => {
    expect((await packagesIn('work/middle')).map(({ id }) => id)).toEqual(['org.a:a@']);
    expect((await packagesIn('work/middle/leaf/pom.xml')).map(({ id }) => id)).toEqual(['org.a:a@']);
  });
});
