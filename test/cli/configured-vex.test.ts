import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { lockhound } from './lockhound.ts';
import { runWorkerUntilReady } from './worker-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'cli-configured-vex-'));
const config = join(folder, 'lockhound.yaml');
const vex = join(folder, 'shop.openvex.json');
afterAll(() => rmSync(folder, { recursive: true }));

const statement = {
  vulnerability: { name: 'CVE-1' },
  status: 'not_affected',
  impact_statement: 'is not called',
};
const applied = { ...statement, products: [{ '@id': 'pkg:npm/a' }] };

/** Writes a document with one statement a line, the first on line 2. */
function write(...statements: readonly object[]): void {
  const head = {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://example.com/vex/shop',
    author: 'Security',
    timestamp: '2026-01-01T00:00:00Z',
  };
  const lines = statements.map((one) => JSON.stringify(one)).join(',\n');
  writeFileSync(vex, `${JSON.stringify(head).slice(0, -1)},"statements":[\n${lines}\n]}`);
}

beforeEach(() => {
  writeFileSync(config, JSON.stringify({ vex: [vex] }));
  writeFileSync(join(folder, 'package-lock.json'), LOCKFILE);
  write(applied, statement);
});

describe('a statement of a configured VEX document that is not applied', () => {
  it('is listed by config check with file and line', async () => {
    const text = await lockhound(['config', 'check', '--config', config]);
    expect(text.code).toBe(0);
    expect(text.out).toMatch(/vex not applied \(1\)\n[\s\S]*names no product/);
    const json = JSON.parse((await lockhound(['config', 'check', '--json', '--config', config])).out);
    expect(json.vexNotApplied).toEqual([{ path: vex, statement: '#1', line: 3, reason: 'names no product' }]);
    write(applied);
    expect((await lockhound(['config', 'check', '--config', config])).out).toMatch(/vex not applied +none\n/);
  });

  it('is a suppression without effect of a scan', async () => {
    const { out } = await lockhound(['scan', '--local', '--json', '--config', config, folder]);
    expect(JSON.parse(out).unusedSuppressions).toContainEqual({
      id: `${vex}:3`,
      reason: 'names no product',
    });
  });

  it('is logged once by a worker when it starts', async () => {
    const { code, output } = await runWorkerUntilReady(folder, ['--ephemeral', '--config', config]);
    expect(code).toBe(0);
    const warnings = output.split('\n').filter((text) => text.includes('were not applied'));
    expect(warnings.map((text) => JSON.parse(text))).toMatchObject([
      { level: 'warn', count: 1, statements: [`${vex}:3: names no product`] },
    ]);
  });

  it('is counted where there are many', async () => {
    write(...Array.from({ length: 30 }, () => statement));
    const { out } = await lockhound(['config', 'check', '--config', config]);
    expect(out).toContain('vex not applied (30)\n');
  });
});
