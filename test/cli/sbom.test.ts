import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

  it('writes a BOM beside the lockfile that counts nothing twice in scans and BOMs of the folder', async () => {
    const own = join(folder, 'beside', 'app');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package-lock.json'), LOCKFILE);
    const countsOf = async (...paths: string[]) =>
      JSON.parse((await lockhound(['scan', '--local', '--json', ...paths])).out).counts;
    const { packages } = await countsOf(own);
    const bom = join(own, 'bom.cdx.json');
    await lockhound(['sbom', own, '--output', bom]);
    expect(await countsOf(own)).toMatchObject({ lockfiles: 2, packages });
    expect(await countsOf(join(own, '..'))).toMatchObject({ lockfiles: 2, packages });
    // A scan of both lists the BOM as a lockfile.
    const second = join(own, 'second.cdx.json');
    await lockhound(['scan', '--local', own, '--report', `cyclonedx=${second}`]);
    expect(await countsOf(own)).toMatchObject({ lockfiles: 3, packages });
    const { components } = JSON.parse((await lockhound(['sbom', own])).out);
    expect(components.filter(({ type }: { type: string }) => type === 'application')).toHaveLength(1);
    // Where the lockfile is not part of the scan, the BOM is all that there is.
    expect(await countsOf(bom)).toMatchObject({ lockfiles: 1, packages });
    writeFileSync(join(own, '.gitignore'), 'package-lock.json\n');
    expect(await countsOf(own)).toMatchObject({ lockfiles: 2, packages: 2 * packages });
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
    expect(incomplete).toEqual([{ aggregate: 'incomplete', assemblies: ['lockfile/yarn.lock'] }]);
  });
});
