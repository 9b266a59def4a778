import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LOCKFILE as FIXTURE } from '../pipeline/fixtures.ts';
import { startRedis, type TestRedis } from '../redis.ts';
import { lockhound } from './lockhound.ts';

/** All its versions are in the bundled data. */
const LOCKFILE = FIXTURE.replaceAll('0.5.5', '0.5.6');

let valkey: TestRedis;
const folder = mkdtempSync(join(tmpdir(), 'cli-ignore-'));
const config = join(folder, 'lockhound.yaml');

beforeAll(async () => {
  valkey = await startRedis();
  vi.stubEnv('REDIS_URL', valkey.url);
  const suppressions = [{ reason: 'of the configuration', rule: 'unwatched', target: 'x', all: true }];
  writeFileSync(config, JSON.stringify({ suppressions, policy: { sharedSuppressions: true } }));
  writeFileSync(join(folder, 'package-lock.json'), LOCKFILE);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await valkey.close();
  rmSync(folder, { recursive: true });
});

const ignore = (...args: readonly string[]) => lockhound(['ignore', ...args, '--config', config]);
const list = async (...args: readonly string[]) =>
  JSON.parse((await ignore('list', '--json', ...args)).out).suppressions;

describe('lockhound ignore', () => {
  it('adds, lists and removes, and keeps who did what', async () => {
    const added = await ignore(
      ...['add', '--package', 'pkg:npm/lodash@<4.17.21', '--advisory', 'CVE-1', '--advisory', 'CVE-2'],
      ...['--label', 'team=web', '--reason', 'not reachable', '--author', 'jo', '--expires', '90d'],
    );
    expect(added.note).toBe('');
    const [, id = ''] = /^id +ignore (\w+)\n[\s\S]*advisories +CVE-1\n +CVE-2\n/.exec(added.out) ?? [];
    const [configured, own, ...others] = await list();
    expect(others).toEqual([]);
    expect(configured.id).toBe('suppressions[0]');
    expect(own).toMatchObject({
      id: `ignore ${id}`,
      reason: 'not reachable',
      author: 'jo',
      labels: { team: 'web' },
      findings: 0,
      expired: false,
    });
    const days = (Date.parse(own.expires) - Date.parse(own.addedAt)) / 86_400_000;
    expect(days).toBe(90);
    const text = (await ignore()).out;
    expect(text).toContain('suppressions (2)\n');
    expect(text).toMatch(new RegExp(`ignore ${id} [\\s\\S]*findings\\s+0;`));

    const removed = await ignore('remove', id, '--author', 'sam', '--reason', 'is reachable');
    expect(removed).toEqual({ code: 0, out: `Removed: ignore ${id}\n`, note: '' });
    expect(await list()).toHaveLength(1);
    const [, kept] = await list('--removed');
    expect(kept.removed).toMatchObject({ author: 'sam', reason: 'is reachable' });
    expect((await ignore('remove', id)).note).toContain('was removed at');
    expect(await ignore('remove', 'abc')).toMatchObject({ code: 2 });
  });

  it.each<[readonly string[], string]>([
    [['--reason', 'x'], 'would hide every finding in its scope: state a package or an advisory'],
    [['--reason', 'x', '--target', 'web'], 'would hide every finding in its scope'],
    [['--reason', 'x', '--rule', 'vulnerability'], 'would hide every finding in its scope'],
    [['--reason', 'x', '--all'], '`all` is for all packages: state one of target'],
    [['--reason', 'x', '--rule', 'none'], 'no rule is named "none"'],
    [['--reason', 'x', '--package', 'lodash'], 'not a purl'],
    [['--reason', 'x', '--rule', 'deprecated', '--all', '--expires', 'soon'], 'expires: a date such as'],
    [['--rule', 'deprecated'], '--reason'],
  ])('add %j is refused', async (args, message) => {
    const { code, note } = await ignore('add', ...args);
    expect(code).toBe(2);
    expect(note).toContain(message);
  });

  it('applies to scan where the configuration says so', async () => {
    await ignore('add', '--rule', 'vulnerability', '--all', '--reason', 'a demo');
    const scan = (...args: readonly string[]) => lockhound(['scan', '--local', ...args, folder]);
    expect((await scan('--config', config)).code).toBe(0);
    writeFileSync(join(folder, 'other.yaml'), '{}');
    expect((await scan('--config', join(folder, 'other.yaml'))).code).toBe(1);
  });
});

describe('VEX documents', () => {
  const file = join(folder, 'shop.openvex.json');
  const write = (...names: readonly string[]) =>
    writeFileSync(
      file,
      JSON.stringify({
        '@context': 'https://openvex.dev/ns/v0.2.0',
        '@id': 'https://example.com/vex/shop',
        author: 'Security',
        timestamp: '2026-01-01T00:00:00Z',
        version: 1,
        statements: names.map((name) => ({
          vulnerability: { name },
          products: [{ '@id': 'pkg:npm/lodash' }],
          status: 'not_affected',
          justification: 'component_not_present',
        })),
      }),
    );

  it('are imported, and another version replaces the first', async () => {
    write('CVE-1', 'CVE-2');
    expect((await ignore('import', file)).out).toMatch(
      / id +applied .*\n.* https:\/\/example\.com\/vex\/shop +2 /,
    );
    write('CVE-2');
    expect((await ignore('import', file)).out).toMatch(/removed\s+1\n/);
    const found = (await list()).filter(({ source }: { source: string }) => source === 'vex');
    expect(found).toMatchObject([{ advisories: ['CVE-2'] }]);
    expect(await ignore('import', config)).toMatchObject({ code: 2 });
  });

  it('are not replaced by an older version, whatever it no longer states', async () => {
    const document = (timestamp: string, version: number, ...names: readonly string[]) =>
      writeFileSync(
        file,
        JSON.stringify({
          '@context': 'https://openvex.dev/ns/v0.2.0',
          '@id': 'https://example.com/vex/versions',
          author: 'Security',
          timestamp,
          version,
          statements: names.map((name) => ({
            vulnerability: { name },
            products: [{ '@id': 'pkg:npm/left' }],
            status: 'not_affected',
            justification: 'component_not_present',
          })),
        }),
      );
    const listed = async () =>
      (await list())
        .filter(({ id }: { id: string }) => id.includes('vex/versions'))
        .map(({ advisories }: { advisories: string[] }) => advisories[0]);
    document('2026-02-01T00:00:00Z', 2, 'CVE-1', 'CVE-2');
    await ignore('import', file);
    document('2026-03-01T00:00:00Z', 3, 'CVE-2');
    await ignore('import', file);
    for (const [time, version] of [
      ['2026-02-01T00:00:00Z', 2],
      ['2026-03-01T00:00:00Z', 2],
    ] as const) {
      document(time, version, 'CVE-1', 'CVE-2');
      expect(await ignore('import', file)).toMatchObject({
        code: 2,
        note: expect.stringContaining('is an older version'),
      });
      expect(await listed()).toEqual(['CVE-2']);
    }
    document('2026-03-01T00:00:00Z', 4, 'CVE-1');
    expect(await ignore('import', file)).toMatchObject({ code: 0 });
    expect(await listed()).toEqual(['CVE-1']);
  });

  it('say on which line a statement is not applied', async () => {
    const statement = { vulnerability: { name: 'CVE-1' }, status: 'fixed' };
    const document = {
      '@context': 'https://openvex.dev/ns/v0.2.0',
      '@id': 'https://example.com/vex/other',
      author: 'Security',
      timestamp: '2026-01-01T00:00:00Z',
      statements: [{ ...statement, products: [{ '@id': 'pkg:npm/a' }] }, statement],
    };
    writeFileSync(file, JSON.stringify(document, null, 2));
    const line = readFileSync(file, 'utf8').split('\n').lastIndexOf('    {') + 1;
    expect((await ignore('import', file)).out).toMatch(
      new RegExp(`not applied \\(1\\)\\n.*\\n.* names no product +${line}\\n`),
    );
    const { out } = await lockhound(['scan', '--local', '--json', '--vex', file, folder]);
    expect(JSON.parse(out).unusedSuppressions).toContainEqual({
      id: `${file}:${line}`,
      reason: 'names no product',
    });
  });

  it('suppress findings of a scan', async () => {
    write('CVE-2021-23337');
    const { out } = await lockhound(['scan', '--local', '--json', '--vex', file, folder]);
    const by = JSON.parse(out).findings.flatMap(
      ({ suppressed }: { suppressed?: { reason: string } }) => suppressed?.reason ?? [],
    );
    expect(by).toEqual(['not_affected: component_not_present']);
  });
});
