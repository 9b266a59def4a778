import { describe, expect, it } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import type { Dependencies, DependencyNode } from '../../src/model/api/insights-api.generated.ts';
import { answerLine, answerText, plainText } from '../../src/report/answer.ts';
import { renderDependencyTree } from '../../src/report/dependency-tree.ts';

const options = { colour: false, width: 80 };
const text = (...lines: readonly string[]) => `${lines.join('\n')}\n`;
const { schemas = {} } = await readBundledDescription('insights.v3alpha');
const shown = (name: string, value: unknown, width = 80) =>
  answerText(value, { schema: { $ref: name }, schemas }, { ...options, width });

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

describe('an answer', () => {
  it('has the order and the labels of its schema, its key as heading, and lists as tables', () => {
    const versions = [
      {
        publishedAt: '2020-01-02T03:04:05Z',
        versionKey: { version: '1.0.0' },
        isDefault: false,
        isDeprecated: true,
      },
      { versionKey: { version: '2.0.0' }, isDefault: true, isDeprecated: false },
    ];
    const value = { versions, packageKey: { name: 'a', system: 'NPM' }, purl: 'pkg:npm/a' };
    expect(shown('Package', value)).toBe(
      text(
        'NPM a',
        '  purl  pkg:npm/a',
        '  versions (2)',
        '    version key  published at          is default  is deprecated',
        '    1.0.0        2020-01-02 03:04 UTC  no          yes',
        '    2.0.0                              yes         no',
      ),
    );
    expect(shown('Package', value, 50)).toBe(
      text(
        'NPM a',
        '  purl  pkg:npm/a',
        '  versions (2)',
        '    version key  published at          is default',
        '    1.0.0        2020-01-02 03:04 UTC  no',
        '        is deprecated',
        '    2.0.0                              yes',
        '        is deprecated no',
      ),
    );
  });

  it('shows nested objects and lists below their labels', () => {
    const value = {
      npm: {
        dependencies: { dependencies: [{ name: 'qs', requirement: '6' }], bundleDependencies: ['qs'] },
        bundled: [
          {
            ...{ path: 'node_modules/qs', name: 'qs', version: '6.0.0' },
            dependencies: { peerDependencies: [{ name: 'x', requirement: '*' }] },
          },
        ],
      },
    };
    expect(shown('Requirements', value)).toBe(
      text(
        'os   unknown',
        'cpu  unknown',
        'dependencies',
        '  dev dependencies          unknown',
        '  optional dependencies     unknown',
        '  peer dependencies         unknown',
        '  bundle dependencies       qs',
        '  peer dependency metadata  unknown',
        '  dependencies (1)',
        '    qs  6',
        'bundled (1)',
        '  node_modules/qs',
        '    name     qs',
        '    version  6.0.0',
        '    dependencies',
        '      dependencies              unknown',
        '      dev dependencies          unknown',
        '      optional dependencies     unknown',
        '      bundle dependencies       unknown',
        '      peer dependency metadata  unknown',
        '      peer dependencies (1)',
        '        x  *',
      ),
    );
  });

  it('never shows a value that is absent or could not be read as 0, no or none', () => {
    const project = { projectKey: { id: 'p' }, ossFuzz: {}, scorecard: { checks: [{ name: 'Fuzzing' }] } };
    const outputs = [
      shown('Project', project),
      shown('Version', { attestations: [{ type: 't' }] }),
      shown('Version', { versionKey: { system: 'GO', name: 'example.com/m', version: 'v1' } }),
      shown('Advisory', {}),
      shown('Advisory', { cvss3Score: 0, cvss3Vector: '' }),
      shown('Project', { scorecard: { checks: [{ name: 'Signed-Releases', score: -1 }] } }),
      shown('Dependents', {}),
      shown('Capabilities', {}),
      shown('Capabilities', { capabilities: [{ capability: 'C' }] }),
      shown('ContainerImages', {}),
      shown('QueryResult', {}),
      shown('PurlLookupResult', { package: {} }),
      shown('SimilarlyNamedPackages', {}),
      shown('ProjectPackageVersions', {}),
      answerLine({}, { schema: { $ref: 'Version' }, schemas }, ['isDeprecated', 'advisoryKeys'], () => true),
      renderDependencyTree({}, options),
    ];
    for (const output of outputs) {
      expect(output).toMatch(/unknown|could not be read/);
      expect(output).not.toMatch(/\b0\b|-1|\bno\b|\bnone\b/i);
    }
    const vector = 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:N/I:N/A:N';
    expect(shown('Advisory', { cvss3Score: 0, cvss3Vector: vector })).toMatch(/cvss3 score +0\n/);
  });

  it('has numbers, times, 64-bit integers, maps and properties that no schema has', () => {
    const schema = {
      type: 'object',
      properties: {
        size: { type: 'string', format: 'int64' },
        score: { type: 'number' },
        day: { type: 'string', format: 'date-time' },
        wrong: { type: 'string', format: 'google-datetime' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    };
    const value = {
      ...{
        size: '9223372036854775807',
        score: 7.25,
        day: '2026-03-31T02:00:00+02:00',
        wrong: '2020-99-13T16:53:54Z',
      },
      ...{ labels: { team: 'a', tier: 'b' }, newer: [1, { x: true, y: ['z'] }] },
    };
    expect(answerText(value, { schema, schemas: {} }, options)).toBe(
      text(
        'size    9,223,372,036,854,775,807',
        'score   7.25',
        'day     2026-03-31',
        'wrong   2020-99-13T16:53:54Z',
        'labels  team=a, tier=b',
        'newer (2)',
        '  1',
        '  yes',
        '    y  z',
      ),
    );
    expect(answerText('text', { schema: {}, schemas: {} }, options)).toBe('text\n');
  });

  it('of our own API leaves out what is absent, has durations, and marks what failed', () => {
    const schema = {
      type: 'object',
      properties: {
        state: { type: 'string', enum: ['failed', 'delivered'] },
        everyMs: { type: 'number' },
        durationMs: { type: 'number' },
        count: { type: 'integer' },
        list: { type: 'array', items: { type: 'string' } },
      },
    };
    const value = { state: 'failed', everyMs: 21_600_000, durationMs: 12.5 };
    const own = (colour: boolean) =>
      answerText(value, { schema, schemas: {}, leavesOut: true }, { ...options, colour });
    expect(own(false)).toBe(text('state     failed', 'every     6h', 'duration  12.5ms'));
    expect(own(true)).toContain('\u001b[31mfailed');
    expect(answerText(value, { schema, schemas: {} }, options)).toMatch(/count +unknown\nlist +unknown/);
  });

  it('of our own API leaves out empty lists, and has the columns that are asked for', () => {
    const place = {
      type: 'object',
      properties: {
        line: { type: 'integer' },
        target: { type: 'string' },
        open: { type: 'object', additionalProperties: { type: 'integer' } },
        dependencyPath: { type: 'array', items: { type: 'string' } },
        file: { type: 'string' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        more: { type: 'string' },
      },
    };
    const properties = {
      similar: { type: 'array', items: { type: 'string' } },
      places: { type: 'array', items: { $ref: 'Place' } },
      gone: { type: 'array', items: { $ref: 'Place' } },
      holder: { type: 'object', properties: { names: { type: 'array', items: { type: 'string' } } } },
    };
    const columns = { places: 'target file labels open dependencyPath line' };
    const answer = {
      schema: { type: 'object', properties },
      schemas: { Place: place },
      leavesOut: true,
      columns,
    };
    const one = (target: string, line: number, open: object = {}) => ({
      ...{ line, target, file: 'a.lock', open, more: 'not shown', labels: {} },
      dependencyPath: ['app@1.0.0', `${target}@2.0.0`],
    });
    const places = [one('b', 1, { low: 1, other: 3, critical: 2 }), one('c', 2), one('d', 1_000)];
    const value = { similar: [], gone: [], holder: { names: [] }, places };
    expect(answerText(value, answer, { ...options, width: 46 })).toBe(
      text(
        'gone  none',
        'places (3)',
        '  in each: file a.lock',
        '  target  dependency path      line',
        '  b       app@1.0.0 › b@2.0.0  1',
        '      open critical 2, low 1, other 3',
        '  c       app@1.0.0 › c@2.0.0  2',
        '  d       app@1.0.0 › d@2.0.0  1,000',
      ),
    );
    expect(answerText({ ...value, places: [] }, answer, options)).toBe('places  none\ngone    none\n');
  });

  it('never separates a label from its value where columns do not fit', () => {
    const rows = ['x', 'y'].map((name) => ({
      name,
      id: name.repeat(30),
      code: 7,
      title: `${'long '.repeat(9)}text`,
    }));
    expect(plainText({ rows }, { ...options, width: 40 })).toBe(
      text(
        'rows (2)',
        '  name  code',
        ...rows.flatMap(({ name, id }) => [
          `  ${name}     7`,
          `      id ${id}`,
          '      title long long long long long',
          '      long long long long text',
        ]),
      ),
    );
  });

  it('is a member when it has only one, as that to a purl', () => {
    const version = { versionKey: { system: 'NPM', name: 'a', version: '1' } };
    expect(shown('PurlLookupResult', { version })).toMatch(/^NPM a 1\n/);
  });

  it('in one line has labels where values alone say too little', () => {
    const value = {
      versionKey: { name: 'a' },
      licenses: ['MIT', 'ISC'],
      isDeprecated: true,
      advisoryKeys: [],
    };
    const names = ['versionKey', 'publishedAt', 'licenses', 'isDeprecated', 'advisoryKeys'];
    const of = { schema: { $ref: 'Version' }, schemas };
    expect(answerLine(value, of, names, () => true)).toBe('a  MIT, ISC  is deprecated  no advisory keys');
    expect(answerLine(value, of, names, (one) => one !== 'a')).toMatch(/^MIT/);
  });
});

it('text from outside cannot steer the terminal', () => {
  const evil = '\u001b[2Jevil\r';
  const key = { system: evil, name: evil, version: evil };
  const tree = {
    nodes: [{ versionKey: key, relation: evil, errors: [evil] }],
    edges: [{ fromNode: 0, toNode: 0, requirement: evil }],
    error: evil,
  };
  const outputs = [
    shown('Version', {
      versionKey: key,
      publishedAt: evil,
      licenses: [evil],
      links: [{ label: evil, url: evil }],
    }),
    shown('Package', { packageKey: key, versions: [{ versionKey: key, deprecatedReason: evil }] }, 50),
    shown('Project', { projectKey: { id: evil }, starsCount: evil, [evil]: { [evil]: evil } }),
    shown('Capabilities', { capabilities: [{ capability: evil, directCount: evil }] }),
    shown('ContainerImages', { results: [{ repository: evil }] }),
    answerLine({ versionKey: key }, { schema: { $ref: 'Version' }, schemas }, ['versionKey'], () => true),
    renderDependencyTree(tree as never, options),
  ];
  for (const output of outputs) {
    expect(output).toContain('evil');
    expect(output.includes('\u001b') || output.includes('\r')).toBe(false);
  }
});
