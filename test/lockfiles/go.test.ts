import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

const H1 = `${'a'.repeat(43)}=`;
const MOD = `// comment
module example.com/root // why

go 1.21rc2

toolchain go1.21.5
godebug default=go1.20

require (
	example.com/a v1.0.0 // indirect
	example.com/B/c v2.0.0+incompatible//indirect
	"example.com/d" v0.1.0 // indirect; why
	example.com/e v0.0.0-20200101000000-0123456789ab // indirect in part
)
require example.com/f v1.0.0
require(
	example.com/g v1.0.0
)

replace (
	example.com/a => example.com/fork v1.1.0
	example.com/d v0.1.0 => ../d
	example.com/g v9.9.9 => example.com/unused v1.0.0
)
exclude example.com/a v0.9.0
retract [v1.0.0, v1.1.0] // bad
tool example.com/f/cmd
ignore ./x
`;

describe('go.mod', () => {
  const { packages, problems } = readText('go.mod', MOD, {
    'go.sum': `example.com/f v1.0.0 h1:${H1}\nexample.com/f v1.0.0/go.mod h1:${H1}\nexample.com/z v1.0.0 h1:${H1}\n`,
  });

  it('reads required modules after replacements', () => {
    expect(problems).toEqual([]);
    expect(packages.map(({ id, line, direct }) => [id, line, direct])).toEqual([
      ['example.com/fork@v1.1.0', 21, false],
      ['example.com/B/c@v2.0.0+incompatible', 11, false],
      ['example.com/d@v0.1.0 (../d)', 22, false],
      ['example.com/e@v0.0.0-20200101000000-0123456789ab', 13, true],
      ['example.com/f@v1.0.0', 15, true],
      ['example.com/g@v1.0.0', 17, true],
    ]);
    expect(byName(packages).get('example.com/f')).toMatchObject({
      purl: 'pkg:golang/example.com/f@v1.0.0',
      integrity: [{ algorithm: 'h1', value: H1, encoding: 'base64' }],
      dependencies: undefined,
    });
  });

  it('reads indirect modules from go.sum before Go 1.17, the newest version of each', () => {
    const sum = ['a v1.2.0', 'a v1.10.0', 'a v1.9.0', 'direct v1.0.0', 'b v1.0.0/go.mod']
      .map((one) => `example.com/${one} h1:${H1}\n`)
      .join('');
    for (const go of ['go 1.16\n', '']) {
      const read = readText('go.mod', `module r\n${go}require example.com/direct v1.0.0\n`, {
        'go.sum': sum,
      });
      expect(read.packages.map(({ id, direct }) => [id, direct])).toEqual([
        ['example.com/direct@v1.0.0', true],
        ['example.com/a@v1.10.0', false],
      ]);
    }
  });

  it('says that indirect modules are unknown without a go.sum that names them', () => {
    const text = 'module r\ngo 1.16\nrequire example.com/a v1.0.0\n';
    expect(readText('go.mod', text).problems).toEqual([
      {
        kind: 'unread',
        line: undefined,
        message: 'it names no indirect modules below Go 1.17, and its go.sum was not read',
      },
    ]);
    const damaged = { 'go.sum': `example.com/a v1.0.0 h1:${H1}\n<<<<<<< HEAD\n` };
    expect(readText('go.mod', text, damaged).problems).toEqual([
      { kind: 'unread', line: undefined, message: 'go.sum:2: "<<<<<<< HEAD" is not `module version hash`' },
    ]);
    expect(readText('go.mod', text.replace('1.16', '1.17')).problems).toEqual([]);
    expect(readText('go.mod', 'module r\n').problems).toEqual([]);
  });

  it('reports malformed lines', () => {
    const text =
      'module r\ngo 1.17\nrequire example.com/a latest\nreplace example.com/a =>\nlonely\nrequire example.com/b v1.0.0\n';
    const read = readText('go.mod', text);
    expect(read.packages.map(({ purl }) => purl)).toEqual([
      'pkg:golang/example.com/a',
      'pkg:golang/example.com/b@v1.0.0',
    ]);
    expect(read.problems.map(({ line }) => line)).toEqual([5, 4, 3]);
  });

  it('reports an unknown directive with all lines of its block', () => {
    const text = `module r\ngo 1.22\nrequre (\n\texample.com/a v1.0.0\n)\nrequire example.com/b v1.0.0
tool example.com/b/cmd\nignore ./x\ngodebug default=go1.21\nretract v0.1.0\nexclude example.com/b v0.9.0\n`;
    const read = readText('go.mod', text);
    expect(read.packages.map(({ name }) => name)).toEqual(['example.com/b']);
    expect(read.problems).toEqual([
      {
        kind: 'unread',
        line: 4,
        message: '"requre example.com/a v1.0.0" is not a known directive of go.mod',
      },
    ]);
    expect(failureOf('go.mod', 'some words of prose\n').code).toBe('wrong-format');
  });

  it('keeps a module whose version is a branch', () => {
    const text =
      'module r\ngo 1.17\nrequire (\n\texample.com/a master\n\texample.com/b v1.0.0\n)\nreplace example.com/b => example.com/c main\n';
    const { packages, problems } = readText('go.mod', text);
    expect(packages.map(({ name, version, line }) => [name, version, line])).toEqual([
      ['example.com/a', '', 4],
      ['example.com/c', '', 7],
    ]);
    expect(problems.map(({ line, message }) => [line, message])).toEqual([
      [4, 'the version of example.com/a is "master", which is not a Go version'],
      [7, 'the version of example.com/c is "main", which is not a Go version'],
    ]);
  });

  it('refuses a file without directives', () => {
    expect(failureOf('go.mod', '// nothing\n').code).toBe('wrong-format');
    expect(failureOf('go.mod', '').code).toBe('empty');
  });
});

describe('go.sum', () => {
  it('reads the modules with a checksum of their files', () => {
    const text = `example.com/a v1.0.0 h1:${H1}\nexample.com/a v1.0.0/go.mod h1:${H1}\nexample.com/b v1.0.0/go.mod h1:${H1}\nbad line\n`;
    expect(readText('go.sum', text)).toMatchObject({
      packages: [
        {
          id: 'example.com/a@v1.0.0',
          line: 1,
          direct: undefined,
          integrity: [{ algorithm: 'h1', value: H1, encoding: 'base64' }],
        },
      ],
      problems: [{ kind: 'unread', line: 4, message: '"bad line" is not `module version hash`' }],
    });
    expect(readText('go.sum', '')).toMatchObject({ packages: [], problems: [] });
  });
});
