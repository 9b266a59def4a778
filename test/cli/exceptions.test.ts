import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'exceptions-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of the example with an override that nothing uses, and one file more. */
function project(name: string, files: Readonly<Record<string, string>> = {}): string {
  const place = join(folder, name);
  cpSync('examples/shop/package-lock.json', join(place, 'package-lock.json'), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(place, file, '..'), { recursive: true });
    writeFileSync(join(place, file), text);
  }
  return place;
}

const overrides = JSON.stringify({ overrides: { 'not-there': '1.0.0' } }, null, 2);

describe('lockhound exceptions', () => {
  it('lists what can be removed first, without network', async () => {
    const place = project('plain', {
      'package.json': overrides,
      '.github/dependabot.yml':
        'updates:\n  - package-ecosystem: npm\n    ignore:\n      - dependency-name: lodash # later\n',
      'osv-scanner.toml': '[[IgnoredVulns]]\nid = "CVE-2021-23337"\nignoreUntil = 2024-01-01\n',
      '.trivyignore': 'CVE-2021-23337\n',
    });
    const { code, out } = await lockhound(['exceptions', place]);
    expect(code).toBe(1);
    expect(out).toBe(`total  4
removable (1)
  place           kind      subject    value  evidence
  package.json:3  override  not-there  1.0.0  package-lock.json has no package not-there
expired (1)
  place               kind              subject         evidence
  osv-scanner.toml:2  ignored-advisory  CVE-2021-23337  it has no effect since 2024-01-01
needed (1)
  place                     kind         subject  evidence                            reason
  .github/dependabot.yml:4  update-rule  lodash   it is about pkg:npm/lodash@4.17.20  later
unknown (1)
  place           kind              subject         evidence
  .trivyignore:1  ignored-advisory  CVE-2021-23337  no advisories were looked up
`);
  });

  it('with looked-up advisories says which ignored ones still affect something', async () => {
    const place = project('looked', {
      '.trivyignore': 'CVE-2021-23337\n',
      '.lockhound.yaml': 'suppressions:\n  - advisory: CVE-2021-23337\n    reason: not reachable\n',
    });
    const { out } = await lockhound(['exceptions', place, '--local', '--json']);
    const { exceptions } = JSON.parse(out) as { exceptions: Record<string, string>[] };
    expect(exceptions.map(({ kind, verdict }) => [kind, verdict])).toEqual([
      ['suppression', 'needed'],
      ['ignored-advisory', 'needed'],
    ]);
  });

  it('names the commit of a line, and none for a line that is not committed', async () => {
    const place = project('dated', { 'package.json': overrides });
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: place,
        env: { ...process.env, GIT_AUTHOR_DATE: '2025-01-02T03:04:05Z', GIT_CONFIG_GLOBAL: '/dev/null' },
      });
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=Sam', '-c', 'user.email=sam@example.com', 'commit', '-qm', 'one');
    const ofPath = async (path = place) => {
      const { out } = await lockhound(['exceptions', path, '--json']);
      const { exceptions } = JSON.parse(out) as { exceptions: Record<string, string>[] };
      return exceptions.map(({ subject, since, author }) => [subject, since, author]);
    };
    expect(await ofPath()).toEqual([['not-there', '2025-01-02T03:04:05.000Z', 'Sam']]);
    expect(await ofPath(join(place, 'package-lock.json'))).toEqual(await ofPath());
    writeFileSync(join(place, 'package.json'), overrides.replace('not-there', 'new-one'));
    expect(await ofPath()).toEqual([['new-one', undefined, undefined]]);
  });

  it('reads a folder without a lockfile, and one without anything', async () => {
    const place = join(folder, 'none');
    mkdirSync(place);
    expect(await lockhound(['exceptions', place])).toEqual({ code: 0, out: 'total  0\n', note: '' });
    writeFileSync(join(place, 'renovate.json'), '{"ignoreDeps":["x"]}');
    const { code, out } = await lockhound(['exceptions', place]);
    expect([code, out]).toEqual([0, expect.stringContaining('renovate.json:1  update-rule  x')]);
  });

  it('reads what lies beside no lockfile, of which nothing is proven', async () => {
    const place = join(folder, 'manifests');
    const files = {
      'package.json': '{"overrides":{"left":"1.0.0"}}',
      '.npmrc': 'min-release-age = 3',
      '.cargo/audit.toml': '[advisories]\nignore = ["RUSTSEC-2026-0194"]',
      'Cargo.toml': '[patch.crates-io]\nreedline = { git = "https://example.com/reedline" }',
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), text);
    }
    const { out } = await lockhound(['exceptions', place, '--json']);
    const { exceptions } = JSON.parse(out) as { exceptions: Record<string, string>[] };
    expect(exceptions.map(({ path, subject, verdict }) => [path, subject, verdict])).toEqual([
      ['.cargo/audit.toml', 'RUSTSEC-2026-0194', 'unknown'],
      ['.npmrc', 'min-release-age', 'needed'],
      ['Cargo.toml', 'reedline', 'unknown'],
      ['package.json', 'left', 'unknown'],
    ]);
  });

  it('ends with 2 for a file that it could not read', async () => {
    const place = project('damaged', { 'renovate.json': '{"a":' });
    const { code, out } = await lockhound(['exceptions', place]);
    expect([code, out]).toEqual([2, expect.stringMatching(/renovate\.json {2}unread/)]);
  });
});
