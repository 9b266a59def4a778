import { describe, expect, it } from 'vitest';
import { detectFormat, FORMATS } from '../../src/lockfiles/catalog.ts';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { formatOfName } from '../../src/lockfiles/known-formats.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';

describe('formats by name', () => {
  it.each([
    ['a/pom.xml', 'maven-pom-xml'],
    ['lib-1.0.pom', 'maven-pom-xml'],
    ['gradle.lockfile', 'gradle-lockfile'],
    ['buildscript-gradle.lockfile', 'gradle-lockfile'],
    ['gradle/verification-metadata.xml', 'gradle-verification-metadata'],
    ['src\\App\\packages.lock.json', 'nuget-packages-lock'],
    ['packages.config', 'nuget-packages-config'],
    ['bin/App.deps.json', 'nuget-deps-json'],
    ['bom.json', 'cyclonedx-json'],
    ['app.cdx.json', 'cyclonedx-json'],
    ['bom.xml', 'cyclonedx-xml'],
    ['app.cdx.xml', 'cyclonedx-xml'],
    ['app.spdx.json', 'spdx-json'],
    ['app.spdx', 'spdx-tag-value'],
    ['settings.xml', undefined],
    ['sbom.json', undefined],
  ])('%s is %s', (path, format) => {
    expect(formatOfName(path)?.name).toBe(format);
  });
});

describe('formats by content', () => {
  const licence = `<!-- ${'words of a licence '.repeat(40)} -->`;

  it.each([
    ['maven-pom-xml', `<?xml version="1.0"?>${licence}<project xmlns="http://maven.apache.org/POM/4.0.0">`],
    ['gradle-lockfile', '# This is a Gradle generated file for dependency locking.\n# Manual edits'],
    ['gradle-verification-metadata', '<?xml version="1.0"?>\n<verification-metadata xmlns="x">'],
    ['nuget-packages-lock', '{\n  "version": 2,\n  "dependencies": {\n    "net8.0": {'],
    ['nuget-packages-config', '<?xml version="1.0"?>\n<packages>\n  <package id="A" version="1" />'],
    ['nuget-deps-json', '{\n  "runtimeTarget": {\n    "name": ".NETCoreApp,Version=v8.0",'],
    ['cyclonedx-json', '{"$schema":"x","bomFormat":"CycloneDX"'],
    ['cyclonedx-xml', `${licence}\n<bom serialNumber="u" xmlns="http://cyclonedx.org/schema/bom/1.6">`],
    ['spdx-json', '{ "SPDXID" : "SPDXRef-DOCUMENT", "spdxVersion" : "SPDX-2.3"'],
    ['spdx-tag-value', '# a comment\nSPDXVersion: SPDX-2.2\nDataLicense: CC0-1.0'],
    [undefined, '<project name="ant" default="build">'],
    [undefined, '<bom><part/></bom>'],
    [undefined, '{"version": 1, "dependencies": []}'],
  ])('%s', (format, head) => {
    expect(detectFormat('download', head)?.name).toBe(format);
  });
});

describe('a file with the name of a lockfile and another content', () => {
  const POINTER =
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n';
  const OTHERS = [
    POINTER,
    '<!DOCTYPE html><p>Not found</p>',
    '{}',
    '[1]',
    'null',
    'x',
    'Not found: try again later\n',
  ];
  it.each(FORMATS.map(({ name }) => name))('does not count as one without packages: %s', (format) => {
    for (const text of [...OTHERS, '{"error":"not found"}', 'error: not found\n', 'error = "not found"\n']) {
      let told: unknown;
      try {
        told = readLockfile({ path: 'a', content: Buffer.from(text), format }).problems.length > 0;
      } catch (error) {
        told = error instanceof LockfileError;
      }
      expect([text, told]).toEqual([text, true]);
    }
  });
});
