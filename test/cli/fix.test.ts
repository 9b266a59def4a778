import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'fix-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SHOP = 'examples/shop/package-lock.json';

describe('lockhound fix', () => {
  it('prints steps, commands and what stays', async () => {
    const { code, out } = await lockhound(['fix', '--local', SHOP]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^ +\d+\. upgrade lodash 4\.17\.20 → 4\.\d+\.\d+\n +clears 2 findings: lodash@4\.17\.20$/m,
    );
    expect(out).toMatch(/^ {4}npm install .*\\$/m);
    expect(out).toMatch(
      /^ {4}request@2\.88\.2 +1 finding +unknown: the list of the versions of request is partial$/m,
    );
    expect(out).toMatch(
      /^ {2}To another major line, which can need changes of your code \(after the others\):$/m,
    );
    expect(out).toMatch(
      /^ {4}body-parser@1\.19\.0 +1 finding +unknown: the index has no dependency graph of/m,
    );
    expect(out).not.toContain('overrides[');
    expect(out).toMatch(
      /^\d+ changes clear \d+ findings, upgrades to another major line \d+ more; \d+ stay\.$/m,
    );
    const widest = Math.max(...out.split('\n').map((line) => line.length));
    expect(widest).toBeLessThanOrEqual(100);
  });

  it('prints every finding with its fix as JSON', async () => {
    const { out } = await lockhound(['fix', '--local', '--json', SHOP]);
    const { schema, plans, findings, unadvised } = JSON.parse(out);
    expect({ schema, unadvised }).toEqual({ schema: 'lockhound.fix/1', unadvised: [] });
    const { steps, breaking } = plans[0];
    const counted = [...steps, ...breaking.steps].flatMap(
      ({ clears }: { clears: { findings: number }[] }) => clears,
    );
    const stays = plans[0].stays as { findings: number }[];
    const sum = [...counted, ...stays].reduce(
      (all: number, one: { findings: number }) => all + one.findings,
      0,
    );
    expect(sum).toBe(findings.length);
    for (const { fixes, advice } of findings) {
      expect(fixes).toHaveLength(1);
      expect(advice).toMatch(/\.$/);
    }
  });

  it('has nothing to do without findings', async () => {
    const clean = join(folder, 'package-lock.json');
    writeFileSync(
      clean,
      '{"lockfileVersion": 3, "packages": {"": {}, "node_modules/ms": {"version": "2.1.2"}}}',
    );
    expect(await lockhound(['fix', '--local', clean])).toMatchObject({
      code: 0,
      out: 'Nothing to fix: no advisory affects 1 package.\n',
    });
  });

  it('says which file beside the lockfile it could not read', async () => {
    const odd = join(folder, 'odd');
    cpSync('examples/shop', odd, { recursive: true });
    rmSync(join(odd, '.npmrc'));
    execFileSync('mkfifo', [join(odd, '.npmrc')]);
    symlinkSync('/dev/zero', join(odd, 'uv.toml'));
    const { code, out } = await lockhound(['fix', '--local', odd]);
    expect(code).toBe(2);
    expect(out).toContain('2 gaps in the advice');
    expect(out).toMatch(/\.npmrc: is a named pipe; only regular files are read/);
    expect(out).toMatch(/uv\.toml: is a device; only regular files are read/);
    expect(out).toContain('upgrade lodash');
  });
});

describe('the advice in a scan', () => {
  it('is in the table and in JSON', async () => {
    const { out } = await lockhound(['scan', '--local', '--verbose', SHOP]);
    expect(out).toMatch(/^critical 9\.8 +minimist 1\.2\.5 → 1\.2\.6 /m);
    expect(out).toMatch(/^ +Upgrade minimist 1\.2\.5 → 1\.2\.6: `npm install minimist@1\.2\.6`\.$/m);
    const { findings, advice } = JSON.parse((await lockhound(['scan', '--local', '--json', SHOP])).out);
    expect(advice.unadvised).toEqual([]);
    const minimist = findings.find((one: { package: { name: string } }) => one.package.name === 'minimist');
    expect(minimist.fixes).toMatchObject([
      { kind: 'upgrade-direct', version: '1.2.6', path: 'package-lock.json' },
    ]);
  });

  it('is left out with --no-advice', async () => {
    const { out } = await lockhound(['scan', '--local', '--no-advice', SHOP]);
    expect(out).toContain('minimist 1.2.5 ');
    expect(out).not.toContain('→ 1.2.6');
  });
});
