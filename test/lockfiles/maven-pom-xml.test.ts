// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Maven writes its references like that
import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

function pom(body: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>org.own</groupId><artifactId>app</artifactId><version>3.0</version>
${body}
</project>
`;
}

function dependency(artifact: string, version?: string, rest = ''): string {
  const stated = version === undefined ? '' : `<version>${version}</version>`;
  return `<dependency><groupId>org.a</groupId><artifactId>${artifact}</artifactId>${stated}${rest}</dependency>`;
}

function dependencies(...all: string[]): string {
  return `<dependencies>\n${all.join('\n')}\n</dependencies>`;
}

function versions(text: string, given: Record<string, string> = {}) {
  const { packages } = readText('pom.xml', text, given);
  return Object.fromEntries(packages.map(({ name, version }) => [name, version]));
}

describe('a pom', () => {
  it('reads name, purl, line, scope and optional', () => {
    const text = pom(
      dependencies(
        dependency('plain', '1.0'),
        dependency('tested', '1.0', '<scope>test</scope>'),
        dependency('given', '1.0', '<scope> provided </scope><optional>true</optional>'),
        dependency('run', '1.0', '<scope>runtime</scope>'),
        dependency(
          'local',
          '1.0',
          '<scope>system</scope><systemPath>${project.basedir}/lib/${project.artifactId}.jar</systemPath>',
        ),
      ),
    );
    const found = byName(readText('pom.xml', text).packages);
    expect(found.get('org.a:plain')).toEqual({
      id: 'org.a:plain@1.0',
      ecosystem: 'maven',
      name: 'org.a:plain',
      version: '1.0',
      purl: 'pkg:maven/org.a/plain@1.0',
      direct: true,
      groups: [],
      integrity: [],
      source: { kind: 'registry' },
      line: 5,
      dependencies: undefined,
    });
    expect(found.get('org.a:tested')).toMatchObject({ groups: ['test'], line: 6 });
    expect(found.get('org.a:given')?.groups).toEqual(['optional', 'provided']);
    expect(found.get('org.a:run')?.groups).toEqual([]);
    expect(found.get('org.a:local')).toMatchObject({
      groups: ['system'],
      source: { kind: 'path', path: 'lib/app.jar' },
    });
  });

  it('interpolates properties, nested properties and fields of the project', () => {
    const text =
      pom(`<parent><groupId>org.up</groupId><artifactId>up</artifactId><version>9</version></parent>
      <properties><x.version>1.\${x.minor}</x.version><x.minor>2</x.minor></properties>
      ${dependencies(
        dependency('a', '${x.version}'),
        dependency('b', '${project.version}'),
        dependency('c', '${pom.version}-${version}'),
        dependency('d', '${project.parent.version}'),
        '<dependency><groupId>org.own</groupId><artifactId>module</artifactId><version>${project.version}</version></dependency>',
        '<dependency><groupId>org.own</groupId><artifactId>other</artifactId><version>3.0</version></dependency>',
        dependency('e', '[1.0,2.0)'),
        dependency('f', '[1.5]'),
        '<dependency><groupId>${project.groupId}</groupId><artifactId>${project.artifactId}-core</artifactId><version>${project.parent.groupId}</version></dependency>',
      )}`);
    expect(versions(text)).toEqual({
      'org.a:a': '1.2',
      'org.a:b': '3.0',
      'org.a:c': '3.0-3.0',
      'org.a:d': '9',
      'org.a:e': '',
      'org.a:f': '1.5',
      // Its pom is not available: published poms refer to other packages of their project like this.
      'org.own:module': '3.0',
      'org.own:other': '3.0',
      'org.own:app-core': 'org.up',
    });
  });

  it.each([
    ['../jaxb-runtime/pom.xml', 'jaxb-runtime', true],
    ['../runtime/pom.xml', 'jaxb-runtime', true],
    ['../runtime/pom.xml', 'another', false],
    ['runtime.pom', 'jaxb-runtime', false],
  ])('leaves out a module of the project when %s is the pom of %s: %s', (place, artifact, isLeftOut) => {
    const module = (version: string) =>
      `<dependency><groupId>org.own</groupId><artifactId>jaxb-runtime</artifactId><version>${version}</version></dependency>`;
    const modulePom = `<project><parent><groupId>org.own</groupId><artifactId>app</artifactId><version>3.0</version></parent><artifactId>${artifact}</artifactId></project>`;
    const text = pom(dependencies(dependency('a', '1'), module('${project.version}')));
    const names = isLeftOut ? ['org.a:a'] : ['org.a:a', 'org.own:jaxb-runtime'];
    expect(Object.keys(versions(text, { [place]: modulePom }))).toEqual(names);
    // A literal version belongs to a package, even when the pom is available.
    expect(Object.keys(versions(pom(dependencies(module('3.0'))), { [place]: modulePom }))).toHaveLength(1);
  });

  it('keeps a package with an unknown version and reports it', () => {
    const text = pom(
      dependencies(
        dependency('a', '${nowhere}'),
        dependency('b', '${loop}'),
        dependency('c'),
        dependency('${nowhere}', '1'),
        '<dependency><artifactId>d</artifactId><version>1</version></dependency>',
      ).replace(
        '<dependencies>',
        '<properties><loop>${loop2}</loop><loop2>${loop}</loop2></properties><dependencies>',
      ),
    );
    const { packages, problems } = readText('pom.xml', text);
    expect(packages.map(({ name, version, purl }) => [name, version, purl])).toEqual([
      ['org.a:a', '', 'pkg:maven/org.a/a'],
      ['org.a:b', '', 'pkg:maven/org.a/b'],
      ['org.a:c', '', 'pkg:maven/org.a/c'],
    ]);
    expect(problems.map(({ line, message }) => [line, message.slice(0, 45)])).toEqual([
      [5, 'the version of "org.a:a" needs ${nowhere}, wh'],
      [6, 'the version of "org.a:b" needs ${loop}, which'],
      [8, '"org.a:${nowhere}" needs ${nowhere}, which is'],
      [9, '":d" has no group'],
      [7, '"org.a:c" has no version and inherits none'],
    ]);
  });

  it.each(['[1.0,2.0)', '(,1.0],[1.2,)', '[1.0,)', 'LATEST', 'RELEASE'])(
    'reports that %s is not one version',
    (requirement) => {
      const { packages, problems } = readText('pom.xml', pom(dependencies(dependency('a', requirement))));
      expect(packages).toMatchObject([{ id: 'org.a:a@', version: '', purl: 'pkg:maven/org.a/a' }]);
      expect(problems).toEqual([
        {
          kind: 'unclear',
          line: 5,
          message: `"org.a:a" has the version ${requirement}, which only its repository can resolve`,
        },
      ]);
    },
  );

  it('takes the last of two equal entries and reports different versions', () => {
    const text = pom(
      dependencies(
        dependency('a', '1.0'),
        dependency('b', '1.0'),
        dependency('a', '1.1'),
        dependency('b', '1.0'),
        dependency('a', '1.2', '<classifier>tests</classifier>'),
      ),
    );
    const { packages, problems } = readText('pom.xml', text);
    expect(packages.map(({ name, version }) => `${name} ${version}`)).toEqual([
      'org.a:a 1.1',
      'org.a:b 1.0',
      'org.a:a 1.2',
    ]);
    expect(problems).toEqual([
      {
        kind: 'unclear',
        line: 7,
        message: '"org.a:a" is declared more than once, before with 1.0: Maven takes the last',
      },
    ]);
  });

  it('applies dependency management by group, artifact, type and classifier', () => {
    const managed = dependencies(
      dependency('a', '1.0', '<scope>test</scope>'),
      dependency('b', '2.0'),
      dependency('c', '3.0', '<type>test-jar</type>'),
      dependency('unused', '4.0'),
    );
    const text = pom(
      `<dependencyManagement>${managed}</dependencyManagement>` +
        dependencies(
          dependency('a'),
          dependency('b', '2.5'),
          dependency('c'),
          dependency('c', undefined, '<type>test-jar</type>'),
        ),
    );
    const { packages } = readText('pom.xml', text);
    expect(packages.map(({ name, version, groups }) => `${name} ${version} ${groups}`)).toEqual([
      'org.a:a 1.0 test',
      'org.a:b 2.5 ',
      'org.a:c  ',
      'org.a:c 3.0 ',
    ]);
  });

  it('leaves out plugins, exclusions and profiles that are not active by default', () => {
    const profile = (id: string, active: string) =>
      `<profile><id>${id}</id><activation>${active}</activation>${dependencies(dependency(id, '1'))}</profile>`;
    const text = pom(
      `<build><plugins><plugin>${dependencies(dependency('plugin', '1'))}</plugin></plugins></build>
      <profiles>${profile('asked', '<jdk>17</jdk>')}
      ${profile('default', '<activeByDefault>true</activeByDefault>')}</profiles>` +
        dependencies(
          dependency(
            'a',
            '1',
            `<exclusions><exclusion><groupId>x</groupId><artifactId>y</artifactId></exclusion></exclusions>`,
          ),
        ),
    );
    expect(Object.keys(versions(text)).sort()).toEqual(['org.a:a', 'org.a:default']);
  });
});

describe('a pom whose versions are in other poms', () => {
  const bom = `<dependencyManagement>${dependencies(
    dependency('bom', '7', '<type>pom</type><scope>import</scope>'),
  )}</dependencyManagement>`;
  const parent =
    '<parent><groupId>org.up</groupId><artifactId>up</artifactId><version>1</version><relativePath/></parent>';

  it('names each unavailable pom once', () => {
    const { packages, problems } = readText(
      'pom.xml',
      pom(`${parent}${bom}${dependencies(dependency('a'), dependency('b'), dependency('c', '1'))}`),
    );
    expect(packages.map(({ version }) => version)).toEqual(['', '', '1']);
    const rest = 'is not available and may have the versions of 2 dependencies';
    expect(problems).toEqual([
      { kind: 'unclear', line: 4, message: `the parent "org.up:up:1" ${rest}` },
      { kind: 'unclear', line: 5, message: `the imported "org.a:bom:7" ${rest}` },
    ]);
  });

  it('reports no pom when all versions are known', () => {
    const text = pom(`${parent}${bom}${dependencies(dependency('a', '1'))}`);
    expect(readText('pom.xml', text).problems).toEqual([]);
  });

  it('does not treat the imported pom as a dependency', () => {
    const { packages } = readText(
      'pom.xml',
      pom(`${bom}${dependencies(dependency('bom', undefined, '<type>pom</type>'))}`),
    );
    expect(packages).toMatchObject([{ version: '', groups: [] }]);
  });
});

describe('a pom that imports dependency management', () => {
  const imported = (artifact: string, group = '${project.groupId}') =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>3.0</version><type>pom</type><scope>import</scope></dependency>`;
  const management = (...all: string[]) =>
    `<dependencyManagement>${dependencies(...all)}</dependencyManagement>`;
  const bom = (artifact: string, body: string) =>
    `<project><groupId>org.own</groupId><artifactId>${artifact}</artifactId><version>3.0</version>${body}</project>`;
  const asking = dependencies(dependency('a'), dependency('b'), dependency('c'));

  it.each([
    ['a module', '<modules><module>boms/main</module></modules>', 'boms/main/pom.xml'],
    ['a folder of its name next to it', '', '../own-bom/pom.xml'],
    ['a folder of its name in it', '', 'own-bom/pom.xml'],
  ])('takes versions from %s', (_what, modules, place) => {
    const properties = (version: string) => `<properties><v>${version}</v></properties>`;
    const text = pom(
      `${modules}${properties('9')}${management(imported('own-bom'), dependency('b', '2'))}${asking}`,
    );
    const main = bom(
      'own-bom',
      properties('1') +
        management(
          dependency('a', '${v}', '<scope>test</scope>'),
          dependency('b', '8'),
          dependency('c', '${no}'),
        ),
    );
    const { packages, problems } = readText('pom.xml', text, { [place]: main });
    // The properties of the imported pom apply; entries of the importing pom have precedence.
    expect(packages.map(({ name, version, groups }) => `${name} ${version} ${groups}`)).toEqual([
      'org.a:a 1 test',
      'org.a:b 2 ',
      'org.a:c  ',
    ]);
    expect(problems.map(({ message }) => message)).toEqual(['"org.a:c" has no version and inherits none']);
  });

  it('follows nested and cyclic imports, with precedence of the first', () => {
    const text = pom(`${management(imported('one'), imported('two'))}${asking}`);
    const given = {
      'one/pom.xml': bom('one', management(dependency('a', '1'), imported('two'), imported('one'))),
      'two/pom.xml': bom('two', management(imported('one'), dependency('a', '2'), dependency('b', '2'))),
      // Neither the required group nor the required version.
      'three/pom.xml': bom('three', management(dependency('c', '3'))),
    };
    expect(versions(text, given)).toEqual({ 'org.a:a': '1', 'org.a:b': '2', 'org.a:c': '' });
    expect(readText('pom.xml', text, given).problems).toMatchObject([
      { message: expect.stringMatching(/"org\.a:c"/) },
    ]);
  });

  it('requests no pom of another group', () => {
    const text = pom(`${management(imported('own-bom', 'org.other'))}${asking}`);
    const { problems } = readText('pom.xml', text, { 'own-bom/pom.xml': bom('own-bom', '') });
    expect(problems).toMatchObject([
      { message: expect.stringContaining('the imported "org.other:own-bom:3.0"') },
    ]);
  });
});

describe('a pom and its parents', () => {
  const parent = (relativePath: string, version = '1') =>
    `<parent><groupId>org.up</groupId><artifactId>up</artifactId><version>${version}</version>${relativePath}</parent>`;
  const upper = `<project><groupId>org.up</groupId><artifactId>up</artifactId><version>1</version>
    <properties><v>5.0</v><own>\${project.artifactId}</own></properties>
    <dependencyManagement>${dependencies(dependency('managed', '${v}'))}</dependencyManagement>
    ${dependencies(dependency('inherited', '${own}'), dependency('mine', '1'))}</project>`;

  it.each([
    ['the folder above', '', '../pom.xml'],
    ['a folder that is named', '<relativePath>../..</relativePath>', '../../pom.xml'],
    ['a file next to it', '<relativePath>up.xml</relativePath>', 'up.xml'],
    ['a path into a folder that was given flat', '<relativePath>./up/up.pom</relativePath>', 'up.pom'],
  ])('inherits from %s', (_what, relativePath, place) => {
    const text = pom(
      `${parent(relativePath)}${dependencies(dependency('managed'), dependency('mine', '2'))}`,
    ).replace('<version>3.0</version>', '');
    const { packages, problems } = readText('pom.xml', text, { [place]: upper });
    expect(problems).toEqual([]);
    expect(packages.map(({ name, version, line }) => [name, version, line])).toEqual([
      // `project.` in a property of the parent refers to the inheriting project.
      ['org.a:inherited', 'app', 4],
      ['org.a:mine', '2', 6],
      ['org.a:managed', '5.0', 5],
    ]);
  });

  it('ignores other files and damaged ones', () => {
    const text = pom(`${parent('', '2')}${dependencies(dependency('managed'))}`);
    expect(versions(text, { '../pom.xml': upper })).toEqual({ 'org.a:managed': '' });
    expect(versions(text.replace('<version>2', '<version>1'), { '../pom.xml': upper.slice(0, 300) })).toEqual(
      {
        'org.a:managed': '',
      },
    );
    const none = pom(`${parent('<relativePath/>')}${dependencies(dependency('managed'))}`);
    expect(versions(none, { '../pom.xml': upper, 'pom.xml': upper })).toEqual({ 'org.a:managed': '' });
  });

  it('ends at a cycle of parents', () => {
    const circle = upper.replace('<properties>', `${parent('')}<properties>`);
    const given = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [`${'../'.repeat(level + 1)}pom.xml`, circle]),
    );
    const text = pom(`${parent('')}${dependencies(dependency('managed'))}`);
    expect(versions(text, given)['org.a:managed']).toBe('5.0');
  });
});

describe('a hostile pom', () => {
  it('is refused with file and line', () => {
    expect(failureOf('a/pom.xml', 'nothing').message).toBe('a/pom.xml: not a pom: the file is not XML');
    expect(failureOf('pom.xml', '<project>\n<a>\n</project>')).toMatchObject({ code: 'syntax' });
    expect(failureOf('pom.xml', '<project>\n<a>\n</project>').message).toMatch(/^pom\.xml:3: not valid XML/);
    expect(failureOf('pom.xml', '<html></html>').code).toBe('wrong-format');
    expect(failureOf('pom.xml', '<project>'.repeat(1_000)).code).toBe('too-deep');
    const laughs = '<!DOCTYPE p [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<project>&b;</project>';
    expect(failureOf('pom.xml', laughs).message).toMatch(/declares entities/);
  });

  it('limits the expansion of properties', () => {
    const doubling = Array.from(
      { length: 60 },
      (_, at) => `<p${at}>\${p${at + 1}}\${p${at + 1}}</p${at}>`,
    ).join('');
    const chain = Array.from({ length: 5_000 }, (_, at) => `<q${at}>\${q${at + 1}}</q${at}>`).join('');
    const text = pom(
      `<properties>${doubling}<p60>x</p60>${chain}</properties>` +
        dependencies(dependency('a', '${p0}'), dependency('b', '${q0}')),
    );
    const { packages, problems } = readText('pom.xml', text);
    expect(packages.map(({ version }) => version)).toEqual(['', '']);
    expect(problems).toHaveLength(2);
  });

  it('keeps entities of HTML as text, as Maven does', () => {
    const text = pom(`<name>&copy; somebody</name>${dependencies(dependency('a', '1'))}`);
    expect(versions(text)).toEqual({ 'org.a:a': '1' });
  });
});
