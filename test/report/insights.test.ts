import { describe, expect, it } from 'vitest';
import type { Dependencies, DependencyNode } from '../../src/model/api/insights-api.generated.ts';
import { projectSummary, renderEntry, versionSummary } from '../../src/report/insights/batch.ts';
import { renderDependencyTree } from '../../src/report/insights/dependency-tree.ts';
import {
  renderAdvisory,
  renderCapabilities,
  renderContainerImages,
  renderDependents,
} from '../../src/report/insights/facts.ts';
import {
  renderPackage,
  renderPurl,
  renderQuery,
  renderSimilar,
  renderVersion,
} from '../../src/report/insights/package.ts';
import { renderProject, renderProjectVersions } from '../../src/report/insights/project.ts';
import { renderRequirements } from '../../src/report/insights/requirements.ts';
import { instantOf, int64Of } from '../../src/report/insights/view.ts';

const options = { colour: false, width: 100 };
const text = (...lines: readonly string[]) => `${lines.join('\n')}\n`;

describe('a dependency tree', () => {
  const node = (name: string, relation: DependencyNode['relation'] & string, more: object = {}) => ({
    versionKey: { system: 'NPM' as const, name, version: '1.0.0' },
    relation,
    ...more,
  });
  const edge = (fromNode: number, toNode: number, requirement = '^1') => ({ fromNode, toNode, requirement });

  it('shows relation, requirement and errors, and draws each subtree once', () => {
    const graph: Dependencies = {
      nodes: [
        node('root', 'SELF'),
        node('a', 'DIRECT'),
        node('b', 'DIRECT', { errors: ['no version satisfies ^9'] }),
        node('c', 'INDIRECT'),
        node('b>1.0.0>d', 'INDIRECT', { bundled: true }),
      ],
      edges: [edge(0, 1), edge(0, 2, '>=1 <2'), edge(1, 3), edge(2, 3), edge(3, 4), edge(4, 1)],
      error: 'incomplete',
    };
    expect(renderDependencyTree(graph, options)).toBe(
      text(
        'NPM root 1.0.0  (self)',
        '├─ a 1.0.0  ^1  (direct)',
        '│  └─ c 1.0.0  ^1  (indirect)',
        '│     └─ b>1.0.0>d 1.0.0  ^1  (indirect, bundled)',
        '│        └─ a 1.0.0  ^1  (direct, see above)',
        '└─ b 1.0.0  >=1 <2  (direct)',
        '     ! no version satisfies ^9',
        '   └─ c 1.0.0  ^1  (indirect, see above)',
        'The graph has an error: incomplete',
        '4 dependencies: 2 direct, 2 indirect; 1 node with errors',
      ),
    );
  });

  it('contains unreachable nodes and edges without a node', () => {
    const graph = { nodes: [node('root', 'SELF'), node('lost', 'INDIRECT')], edges: [edge(0, 9)] };
    expect(renderDependencyTree(graph, options)).toBe(
      text(
        'NPM root 1.0.0  (self)',
        '└─    ^1  (no such node)',
        'NPM lost 1.0.0  (indirect)',
        '1 dependency: 0 direct, 1 indirect',
      ),
    );
    expect(renderDependencyTree({ nodes: [] }, options)).toBe('0 dependencies: 0 direct, 0 indirect\n');
  });

  it('does not treat unreadable ends of edges as the root', () => {
    const graph = { nodes: [node('root', 'SELF'), node('a', 'DIRECT')], edges: [edge(0, 1), { toNode: 1 }] };
    expect(renderDependencyTree(graph, options)).toBe(
      text(
        'NPM root 1.0.0  (self)',
        '└─ a 1.0.0  ^1  (direct)',
        '1 edge could not be read.',
        '1 dependency: 1 direct, 0 indirect',
      ),
    );
    expect(renderDependencyTree({}, options)).toBe('The nodes could not be read.\n');
  });

  it('is drawn at any depth', () => {
    const count = 20_000;
    const nodes = Array.from({ length: count }, (_, index) =>
      node(`n${index}`, index === 0 ? 'SELF' : 'INDIRECT'),
    );
    const deep = renderDependencyTree(
      {
        nodes: nodes.slice(0, 3_000),
        edges: nodes.slice(1, 3_000).map((_, index) => edge(index, index + 1)),
      },
      options,
    );
    expect(deep.split('\n')).toHaveLength(3_002);
  });
});

describe('requirements', () => {
  it('of npm are in their groups, those of bundled manifests below their paths', () => {
    const dependencies = {
      dependencies: [
        { name: 'accepts', requirement: '~1.3.7' },
        { name: 'qs', requirement: '6' },
      ],
      peerDependencies: [{ name: 'react', requirement: '>=18' }],
      bundleDependencies: ['qs'],
    };
    const bundled = [
      {
        path: 'node_modules/qs',
        name: 'qs',
        version: '6.0.0',
        dependencies: { dependencies: [{ name: 'x', requirement: '*' }] },
      },
    ];
    expect(renderRequirements({ npm: { dependencies, bundled } }, options)).toBe(
      text(
        'dependencies',
        '  accepts  ~1.3.7',
        '  qs       6',
        'peer dependencies',
        '  react  >=18',
        'bundled dependencies',
        '  qs',
        'bundled in node_modules/qs',
        '  qs  6.0.0',
        'node_modules/qs: dependencies',
        '  x  *',
      ),
    );
  });

  it('of Maven are the unresolved POM', () => {
    const dependency = {
      name: 'g:a',
      version: '1',
      scope: 'test',
      classifier: 'sources',
      optional: 'true',
      exclusions: ['g:*', '*:b'],
    };
    const maven = {
      parent: { system: 'MAVEN' as const, name: 'g:parent', version: '1' },
      dependencies: [dependency],
      dependencyManagement: [{ name: 'g:bom', version: '2', type: 'pom', scope: 'import' }],
      properties: [{ name: 'v', value: '3' }],
      repositories: [{ id: 'r', url: 'https://repo.example/', layout: 'default', snapshotsEnabled: 'false' }],
      profiles: [
        {
          id: 'p',
          activation: {
            activeByDefault: 'false',
            jdk: { jdk: '[11,)' },
            os: { family: 'unix', arch: 'amd64' },
            property: { property: { name: 'ci', value: 'true' } },
            file: { exists: 'a', missing: 'b' },
          },
          dependencies: [{ name: 'g:p', version: '4' }],
        },
      ],
    };
    expect(renderRequirements({ maven }, options)).toBe(
      text(
        'parent',
        '  MAVEN g:parent 1',
        'dependencies',
        '  g:a  1  test  classifier sources; optional true; excludes g:*, *:b',
        'managed dependencies',
        '  g:bom  2  import  type pom',
        'properties',
        '  v  3',
        'repositories',
        '  r  https://repo.example/  layout default; snapshots false',
        'profile p',
        '  active by default false; jdk [11,); os unix amd64; property ci=true; file exists a; file missing b',
        'profile p: dependencies',
        '  g:p  4',
      ),
    );
  });

  it('of NuGet, RubyGems and PyPI, and of a package without any', () => {
    const groups = [
      { targetFramework: 'net6.0', dependencies: [{ name: 'A', requirement: '[1, )' }] },
      { targetFramework: '', dependencies: [{ name: 'B', requirement: '2' }] },
    ];
    expect(renderRequirements({ nuget: { dependencyGroups: groups } }, options)).toBe(
      text('net6.0', '  A  [1, )', 'any framework', '  B  2'),
    );
    const rubygems = { runtimeDependencies: [{ name: 'rack', requirement: '~> 3' }], devDependencies: [] };
    expect(renderRequirements({ rubygems }, options)).toBe(text('runtime dependencies', '  rack  ~> 3'));
    const pypi = {
      dependencies: [
        {
          projectName: 'requests',
          extras: 'socks',
          versionSpecifier: '>=2',
          environmentMarker: "os_name == 'nt'",
        },
      ],
    };
    expect(renderRequirements({ pypi }, options)).toBe(
      text('dependencies', "  requests[socks]  >=2  os_name == 'nt'"),
    );
    expect(renderRequirements({ npm: { dependencies: {}, bundled: [] } }, options)).toBe(
      'No requirements.\n',
    );
  });
});

describe('the text of', () => {
  it('a version shows unknown for absent facts', () => {
    expect(
      renderVersion({ versionKey: { system: 'GO', name: 'example.com/m', version: 'v1.0.0' } }, options),
    ).toBe(
      text(
        'GO example.com/m v1.0.0',
        '  default     unknown',
        '  deprecated  unknown',
        '  licences    unknown',
        '  advisories  unknown',
      ),
    );
  });

  it('a version has its provenance', () => {
    const proof = { sourceRepository: 'https://github.com/a/b', commit: 'c0ffee', verified: true };
    const version = {
      isDeprecated: true,
      deprecatedReason: 'use b',
      licenses: ['non-standard'],
      licenseDetails: [{ license: 'See LICENSE', spdx: 'non-standard' }],
      slsaProvenances: [proof],
      attestations: [{ type: 'https://slsa.dev/provenance/v1', ...proof, verified: false }],
      relatedProjects: [
        { projectKey: { id: '' }, relationType: 'ISSUE_TRACKER', relationProvenance: 'UNVERIFIED_METADATA' },
      ] as const,
      upstreamIdentifiers: [{ packageName: 'A', versionString: '1.0', source: 'upstream' }],
      projectStatus: { status: 'archived', reason: 'done' },
    };
    const out = renderVersion(version, options);
    for (const line of [
      'deprecated    yes  use b',
      'status        archived: done',
      'as declared   See LICENSE',
      'projects      (elsewhere)  ISSUE_TRACKER UNVERIFIED_METADATA',
      'provenance    https://github.com/a/b c0ffee (verified)',
      'attestations  https://slsa.dev/provenance/v1 https://github.com/a/b c0ffee (not verified)',
      'upstream      A 1.0  upstream',
    ]) {
      expect(out).toContain(`  ${line}\n`);
    }
  });

  it('a package marks its default and its deprecated versions', () => {
    const versions = [
      {
        versionKey: { version: '1.0.0' },
        publishedAt: '2020-01-02T03:04:05Z',
        isDeprecated: true,
        deprecatedReason: 'old',
      },
      { versionKey: { version: '2.0.0' }, isDefault: true },
    ];
    expect(
      renderPackage(
        { packageKey: { system: 'NPM' as const, name: 'a' }, purl: 'pkg:npm/a', versions },
        options,
      ),
    ).toBe(
      text(
        'NPM a  pkg:npm/a',
        '  1.0.0  2020-01-02           deprecated  old',
        '  2.0.0              default',
        '2 versions',
      ),
    );
  });

  it('a project has counts, coverage and checks; a check that did not run has no score', () => {
    const project = {
      projectKey: { id: 'github.com/a/b' },
      starsCount: 12_345,
      forksCount: 0,
      openIssuesCount: 7,
      ossFuzz: {
        lineCount: 4,
        lineCoverCount: 1,
        date: '2026-03-31T00:00:00Z',
        configUrl: 'https://fuzz.example/',
      },
      scorecard: {
        date: '2026-03-23T00:00:00Z',
        overallScore: 7.25,
        checks: [
          { name: 'Maintained', score: 10, reason: 'yes' },
          { name: 'Fuzzing', score: 7.5, reason: 'some' },
          { name: 'Signed-Releases', score: -1, reason: 'none' },
        ],
      },
    };
    expect(renderProject(project, options)).toBe(
      text(
        'github.com/a/b',
        '  stars        12,345',
        '  forks        0',
        '  open issues  7',
        '  fuzzing      1 of 4 lines (25.0 %), 2026-03-31',
        '               https://fuzz.example/',
        '  scorecard    7.3 of 10  (2026-03-23)',
        '    10   Maintained       yes',
        '    7.5  Fuzzing          some',
        '    -    Signed-Releases  none',
      ),
    );
  });

  it('no value that could not be read is shown as 0, no or none', () => {
    const project = { projectKey: { id: 'p' }, ossFuzz: {}, scorecard: { checks: [{ name: 'Fuzzing' }] } };
    const outputs = [
      renderProject(project, options),
      renderEntry({ subject: 'p', value: project }, projectSummary, options),
      renderEntry({ subject: 'v', value: {} }, versionSummary, options),
      renderVersion({ attestations: [{ type: 't' }] }, options),
      renderAdvisory({ cvss3Vector: 'CVSS:3.1/AV:N' }, options),
      renderAdvisory({}, options),
      renderDependents({}, options),
      renderCapabilities({ capabilities: [{ capability: 'C' }] }, options),
      renderCapabilities({}, options),
      renderContainerImages({}, options),
      renderQuery({}, options),
      renderPurl({ package: {} }, options),
      renderSimilar({}, options),
      renderProjectVersions({}, options),
      renderDependencyTree({}, options),
    ];
    for (const output of outputs) {
      expect(output).toMatch(/unknown|could not be read/);
      expect(output.replace('CVSS:3.1', '')).not.toMatch(/\b0\b|\bno\b|\bnot verified\b/i);
    }
  });

  it('an advisory distinguishes a score of 0 from none', () => {
    const vector = 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:N/I:N/A:N';
    expect(renderAdvisory({ cvss3Score: 0, cvss3Vector: '' }, options)).toContain('no score');
    expect(renderAdvisory({ cvss3Score: 0, cvss3Vector: vector }, options)).toContain(`0.0  ${vector}`);
  });

  it('counts, images, query results and purls', () => {
    expect(
      renderDependents(
        { dependentCount: 17051, directDependentCount: 4792, indirectDependentCount: 12459 },
        options,
      ),
    ).toBe('17,051 dependents: 4,792 direct, 12,459 indirect\n');
    expect(
      renderCapabilities(
        { capabilities: [{ capability: 'CAPABILITY_EXEC', directCount: 1, indirectCount: 2 }] },
        options,
      ),
    ).toBe(text('  capability       direct  indirect', '  CAPABILITY_EXEC  1       2'));
    expect(renderCapabilities({ capabilities: [] }, options)).toBe('No capabilities.\n');
    expect(renderContainerImages({ results: [{ repository: 'a/b' }] }, options)).toBe(
      'a/b\n1 image repository\n',
    );
    const version = { versionKey: { system: 'NPM' as const, name: 'a', version: '1' } };
    expect(
      renderQuery({ results: [{ version, artifacts: [{ url: 'https://x.example/a.tgz' }] }] }, options),
    ).toBe(text('NPM a 1', '  https://x.example/a.tgz', '1 version'));
    expect(renderPurl({ version }, options)).toMatch(/^NPM a 1\n/);
    expect(
      renderPurl({ package: { packageKey: { system: 'NPM' as const, name: 'a' }, versions: [] } }, options),
    ).toBe('NPM a\n0 versions\n');
  });

  it('an entry of a batch names the answered version when it differs from the request', () => {
    const value = {
      versionKey: { system: 'PYPI' as const, name: 'requests', version: '2.0.0' },
      licenses: ['MIT'],
      advisoryKeys: [],
    };
    const line = (subject: string) => renderEntry({ subject, value }, versionSummary, options);
    expect(line('PYPI requests 2.0.0')).toBe('PYPI requests 2.0.0  MIT  no advisories\n');
    expect(line('PYPI Requests 2.0')).toBe('PYPI Requests 2.0  PYPI requests 2.0.0  MIT  no advisories\n');
    expect(renderEntry({ subject: 'x' }, projectSummary, options)).toBe('x  not found\n');
  });
});

it('text from outside cannot steer the terminal', () => {
  const evil = '\u001b[2Jevil\r';
  // A service may answer with values that no enumeration lists.
  const key = { system: evil as 'NPM', name: evil, version: evil };
  const outputs = [
    renderVersion(
      {
        versionKey: key,
        purl: evil,
        publishedAt: evil,
        licenses: [evil],
        links: [{ label: evil, url: evil }],
      },
      options,
    ),
    renderPackage(
      {
        packageKey: key,
        purl: evil,
        versions: [{ versionKey: key, deprecatedReason: evil, isDeprecated: true }],
      },
      options,
    ),
    renderDependencyTree(
      {
        nodes: [{ versionKey: key, relation: evil as never, errors: [evil] }],
        edges: [{ fromNode: 0, toNode: 0, requirement: evil }],
        error: evil,
      },
      options,
    ),
    renderRequirements(
      {
        npm: { dependencies: { dependencies: [{ name: evil, requirement: evil }] } },
        nuget: { dependencyGroups: [{ targetFramework: evil, dependencies: [{ name: evil }] }] },
      },
      options,
    ),
    renderProject(
      {
        projectKey: { id: evil },
        description: evil,
        starsCount: evil as never,
        scorecard: { checks: [{ name: evil, reason: evil }] },
      },
      options,
    ),
    renderAdvisory({ advisoryKey: { id: evil }, title: evil, cvss3Vector: evil }, options),
    renderQuery(
      { results: [{ version: { versionKey: key, publishedAt: evil }, artifacts: [{ url: evil }] }] },
      options,
    ),
    renderContainerImages({ results: [{ repository: evil }] }, options),
    renderCapabilities({ capabilities: [{ capability: evil, directCount: evil as never }] }, options),
    renderDependents({ dependentCount: evil as never }, options),
    renderEntry({ subject: evil, value: { versionKey: key } }, versionSummary, options),
    renderEntry({ subject: evil, error: { message: evil } }, versionSummary, options),
  ];
  for (const output of outputs) {
    expect(output).toContain('evil');
    expect(output.includes('\u001b') || output.includes('\r')).toBe(false);
  }
});

it('scalars that are text in JSON are parsed', () => {
  expect(int64Of('9223372036854775807')).toBe(9223372036854775807n);
  expect(int64Of(12)).toBe(12n);
  expect([int64Of('1.5'), int64Of(''), int64Of(undefined), int64Of(2 ** 60)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(instantOf('2020-08-13T16:53:54Z')?.getTime()).toBe(Date.UTC(2020, 7, 13, 16, 53, 54));
  expect(instantOf('2020-08-13T16:53:54.123456789+02:00')?.toISOString()).toBe('2020-08-13T14:53:54.123Z');
  expect([
    instantOf(''),
    instantOf('2020-08-13'),
    instantOf('2020-99-13T16:53:54Z'),
    instantOf(undefined),
  ]).toEqual([undefined, undefined, undefined, undefined]);
});
