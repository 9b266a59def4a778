import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

const HEADER = '# This is a Gradle generated file for dependency locking.\n';

describe('a Gradle lock', () => {
  it('reads name, purl, line and the groups of all configurations', () => {
    const text = `${HEADER}
org.a:main:1.0=compileClasspath,runtimeClasspath
org.a:tested:1.1=testCompileClasspath,integrationTestRuntimeClasspath
org.a:both:1.2=runtimeClasspath,testRuntimeClasspath
org.a:processor:1.3=annotationProcessor,kapt
org.a:checker:1.4=detekt,testRuntimeClasspath
org.a:tools:1.5=developmentOnly
org.a:latest:1.6-jre=latestReleaseClasspath
empty=apiElements
`.replaceAll('\n', '\r\n');
    const { packages, problems } = readText('gradle.lockfile', text);
    expect(problems).toEqual([]);
    expect(packages.map(({ name, version, groups, line }) => [name, version, groups.join(), line])).toEqual([
      ['org.a:main', '1.0', '', 3],
      ['org.a:tested', '1.1', 'test', 4],
      ['org.a:both', '1.2', '', 5],
      ['org.a:processor', '1.3', 'build', 6],
      ['org.a:checker', '1.4', 'build,test', 7],
      ['org.a:tools', '1.5', 'dev', 8],
      ['org.a:latest', '1.6-jre', '', 9],
    ]);
    expect(packages[0]).toMatchObject({
      ecosystem: 'maven',
      purl: 'pkg:maven/org.a/main@1.0',
      direct: undefined,
      dependencies: undefined,
    });
  });

  it('reads the lock of a build script and old locks of single configurations', () => {
    const script = readText('buildscript-gradle.lockfile', 'org.a:b:1=classpath\nempty=\n').packages;
    expect(script[0]?.groups).toEqual(['build']);
    const { packages } = readText('settings-gradle.lockfile', 'org.a:b:1\norg.a:c:2\n');
    expect(packages.map(({ id }) => id)).toEqual(['org.a:b@1', 'org.a:c@2']);
  });

  it('reports malformed rows and refuses a file without valid ones', () => {
    const { packages, problems } = readText(
      'gradle.lockfile',
      'org.a:b:1=x\n>>> conflict\norg.a:c=x\na:b:c:d=x\nempty=\n',
    );
    expect(packages).toHaveLength(1);
    expect(problems.map(({ line }) => line)).toEqual([2, 3, 4]);
    expect(problems[0]?.message).toBe('">>> conflict" is not `group:artifact:version=configurations`');
    expect(failureOf('gradle.lockfile', '{"a": 1}').code).toBe('wrong-format');
  });

  it('limits the number of problems', () => {
    const { problems } = readText('gradle.lockfile', `org.a:b:1=x\nempty=\n${'?\n'.repeat(12_000)}`);
    expect(problems).toHaveLength(10_001);
    expect(problems.at(-1)?.message).toBe('2000 more problems are not listed');
  });
});

describe('Gradle verification metadata', () => {
  function metadata(components: string): string {
    return `<?xml version="1.0"?>
<verification-metadata xmlns="https://schema.gradle.org/dependency-verification">
<configuration><trusted-artifacts><trust group="org.trusted"/></trusted-artifacts></configuration>
<components>${components}</components></verification-metadata>`;
  }

  it('reads the digests of artifacts, not of their metadata', () => {
    const { packages, problems } = readText(
      'verification-metadata.xml',
      metadata(`
<component
   group="org.a" name="b" version="1.0">
  <artifact name="b-1.0.jar">
    <md5 value="0f"/><sha256 value="AB12" origin="Generated"><also-trust value="cd34"/></sha256><pgp value="x"/>
  </artifact>
  <artifact name="b-1.0.pom"><sha256 value="ffff"/></artifact>
  <artifact name="b-1.0-sources.jar"><sha256 value="eeee"/></artifact>
</component>`),
    );
    expect(problems).toEqual([]);
    expect(packages).toEqual([
      expect.objectContaining({
        purl: 'pkg:maven/org.a/b@1.0',
        line: 5,
        integrity: [
          { algorithm: 'md5', value: '0f', encoding: 'hex' },
          { algorithm: 'sha256', value: 'AB12', encoding: 'hex' },
          { algorithm: 'sha256', value: 'cd34', encoding: 'hex' },
        ],
      }),
    ]);
  });

  it('handles prefixes, CDATA and comments', () => {
    const text = `\n\n<v:verification-metadata xmlns:v="https://schema.gradle.org/dependency-verification">
      <!-- <v:component group="no" name="no" version="1"/> --><v:components>
      <v:component group="org.a" name="b" version="&#49;.0"/>
      <other:component xmlns:other="urn:x" group="no" name="no" version="1"/>
      </v:components></v:verification-metadata>`;
    const found = byName(readText('verification-metadata.xml', text).packages);
    expect([...found.keys()]).toEqual(['org.a:b']);
    expect(found.get('org.a:b')).toMatchObject({ version: '1.0', line: 5 });
  });

  it('reports components without a name', () => {
    const { packages, problems } = readText(
      'verification-metadata.xml',
      metadata('<component name="b" version="1"/>\n<component group="org.a" name="c"/>'),
    );
    expect(packages.map(({ name, version }) => [name, version])).toEqual([['org.a:c', '']]);
    expect(problems).toEqual([
      { kind: 'unread', line: 4, message: '":b:1" has no group' },
      { kind: 'unclear', line: 5, message: '"org.a:c:" has no version' },
    ]);
    expect(failureOf('verification-metadata.xml', '<a/>').code).toBe('wrong-format');
  });
});
