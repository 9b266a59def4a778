import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
const lockfile = join(folder, 'package-lock.json');
writeFileSync(lockfile, LOCKFILE);
afterAll(() => rmSync(folder, { recursive: true }));

describe('lockhound sbom', () => {
  it('writes the same BOM each time, which `parse` reads as the lockfile', async () => {
    const output = join(folder, 'bom.json');
    expect(await lockhound(['sbom', lockfile, '--output', output])).toEqual({ code: 0, out: '', note: '' });
    const first = readFileSync(output, 'utf8');
    expect((await lockhound(['sbom', lockfile])).out).toBe(first);
    const packagesOf = async (path: string): Promise<readonly string[]> => {
      const { out } = await lockhound(['parse', path, '--json']);
      return JSON.parse(out).packages.map(({ id }: { id: string }) => id);
    };
    expect(await packagesOf(output)).toEqual(await packagesOf(lockfile));
  });

  it('states the name and the version of the specification', async () => {
    const { out } = await lockhound(['sbom', lockfile, '--name', 'shop', '--spec-version', '1.7']);
    expect(JSON.parse(out)).toMatchObject({ specVersion: '1.7', metadata: { component: { name: 'shop' } } });
    expect((await lockhound(['sbom', lockfile, '--spec-version', '1.5'])).code).toBe(2);
  });

  it('says what it could not read, in the BOM and on standard error', async () => {
    const broken = join(folder, 'yarn.lock');
    writeFileSync(broken, '{');
    const { code, out, note } = await lockhound(['sbom', broken, lockfile]);
    expect(code).toBe(2);
    expect(note).toContain('not read');
    const incomplete = JSON.parse(out).compositions.filter(
      ({ aggregate }: { aggregate: string }) => aggregate === 'incomplete',
    );
    expect(incomplete).toEqual([{ aggregate: 'incomplete', assemblies: [`lockfile/${broken}`] }]);
  });
});
