import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { addressProblems, fileProblems } from '../../scripts/release-check.ts';
import { releaseNotes } from '../../scripts/release-notes.ts';

const ROOT = join(import.meta.dirname, '../..');
const WORKFLOWS = join(ROOT, '.github/workflows');

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}

describe.each(readdirSync(WORKFLOWS))('the workflow %s', (name) => {
  const { permissions, jobs } = parse(readFileSync(join(WORKFLOWS, name), 'utf8')) as {
    permissions: object;
    jobs: Readonly<Record<string, Job>>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('has no rights but those of its jobs', () => {
    expect(permissions).toEqual({});
    for (const job of Object.values(jobs)) expect(job.permissions).toBeDefined();
  });

  it('runs pinned actions, keeps no credentials, and puts no expression into a script', () => {
    for (const { uses, run = '', with: options } of steps) {
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w./-]+@[0-9a-f]{40}$/);
      if (uses?.startsWith('actions/checkout@') === true)
        expect(options?.['persist-credentials']).toBe(false);
      expect(run).not.toMatch(/\$\{\{/);
    }
  });
});

describe('the images that a release is built on or runs', () => {
  const PINNED = /^[\w./-]+:\d[\w.-]*@sha256:[0-9a-f]{64}$/;
  /** The images that a file names: defaults of variables, without those that it builds itself. */
  const imagesIn = (name: string): readonly string[] =>
    [
      ...readFileSync(join(ROOT, name), 'utf8').matchAll(
        /^ *(?:ARG NODE_IMAGE=|image: (?!lockhound)|FROM (?!\$\{NODE_IMAGE\}))(\S+)/gm,
      ),
    ].map(([, image = '']) => /^\$\{\w+:-(.*)\}$/.exec(image)?.[1] ?? image);

  it.each(['Dockerfile', 'docker-compose.yml', 'deploy/compose.yaml'])('%s names by digest', (name) => {
    expect(imagesIn(name)).toHaveLength(1);
    expect(imagesIn(name)[0]).toMatch(PINNED);
  });

  it('are the same wherever they are named', () => {
    expect(imagesIn('docker-compose.yml')).toEqual(imagesIn('deploy/compose.yaml'));
  });
});

it('SECURITY.md names tests that exist, one at least for each threat', () => {
  const rows = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!who|attack|-)/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
    expect(named.length, row).toBeGreaterThan(0);
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  }
});

describe('the notes of a release', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- later\n\n## 0.2.0, 2026-12-01\n\n### Added\n\n- a thing\n\n## 0.1.0\n\n- first\n\n## 0.0.9\n';

  it('are the section of the version', () => {
    expect(releaseNotes(changelog, '0.2.0', 'v0.2.0')).toBe('### Added\n\n- a thing\n');
    expect(releaseNotes(changelog, '0.1.0', 'v0.1.0')).toBe('- first\n');
  });

  it.each([
    ['v0.2.1', '0.2.0', 'is not the version of the package'],
    ['v0.3.0', '0.3.0', 'has no section'],
    ['v0.0.9', '0.0.9', 'is empty'],
  ])('are an error for %s', (tag, version, message) => {
    expect(() => releaseNotes(changelog, version, tag)).toThrow(message);
  });
});

describe('the check of a release', () => {
  it('finds addresses that do not follow from the repository, or belong to another one', () => {
    expect(addressProblems(manifest, undefined)).toEqual([]);
    expect(addressProblems(manifest, 'acme/fork')).toEqual([
      'repository.url names lockhound/lockhound, but the release runs in acme/fork',
    ]);
    expect(addressProblems({ ...manifest, homepage: '' }, undefined)).toHaveLength(1);
    expect(addressProblems({ ...manifest, repository: { url: '' } }, undefined)).toHaveLength(1);
  });

  it('finds files that are missing and files of the repository', () => {
    const promised = new Set([
      'bin/lockhound.js',
      'package.json',
      ...['lockhound', 'producer', 'insights-client', 'testing'].flatMap((name) => [
        `dist/bundle/${name}.js`,
        `dist/types/${name}.d.ts`,
      ]),
    ]);
    expect(fileProblems(manifest, promised)).toEqual([]);
    promised.delete('dist/bundle/producer.js');
    promised.add('deploy/secrets.env').add('src/producer.ts').add('docs/start.md');
    expect(fileProblems(manifest, promised)).toEqual([
      'dist/bundle/producer.js is missing',
      'deploy/secrets.env does not belong into the package',
      'src/producer.ts does not belong into the package',
    ]);
  });
});
