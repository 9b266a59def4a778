import { describe, expect, it } from 'vitest';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { NO_PACKAGE } from '../../src/lockfiles/read-as.ts';
import { readText } from './reading.ts';

const SHA = 'ab'.repeat(32);
const COMMIT = '0123456789abcdef0123456789abcdef01234567';

describe('a requirement', () => {
  it.each([
    ['Foo_Bar==1.0', 'Foo_Bar', '1.0', { kind: 'registry' }],
    ['foo[x, y] == 1.0 ; python_version < "3"', 'foo', '1.0', { kind: 'registry' }],
    ['foo==1.0;python_version<"3"', 'foo', '1.0', { kind: 'registry' }],
    ['foo (==1.0)', 'foo', '1.0', { kind: 'registry' }],
    ['foo===1.0-weird', 'foo', '1.0-weird', { kind: 'registry' }],
    ['foo>=1,==1.5,<2 # why', 'foo', '1.5', { kind: 'registry' }],
    ['foo==1!2.0.post1+local.1', 'foo', '1!2.0.post1+local.1', { kind: 'registry' }],
    ['foo==1.0.*', 'foo', '', { kind: 'registry' }],
    ['foo>=1', 'foo', '', { kind: 'registry' }],
    ['foo', 'foo', '', { kind: 'registry' }],
    ['foo==1.0 --global-option="--x" --config-settings y', 'foo', '1.0', { kind: 'registry' }],
    ['foo==v1.0', 'foo', '1.0', { kind: 'registry' }],
    ['-e "git+https://h/o/foo.git#egg=foo"', 'foo', '', { kind: 'git', url: 'git+https://h/o/foo.git' }],
    [
      'https://h/o/foo/archive/refs/tags/v3.1.zip',
      'foo',
      '',
      { kind: 'url', url: 'https://h/o/foo/archive/refs/tags/v3.1.zip' },
    ],
    ['foo==1.0 -C x=y', 'foo', '1.0', { kind: 'registry' }],
    ['foo==1.0 --hash=sha256:00 and the rest', 'foo', '1.0', { kind: 'registry' }],
    [
      `foo == 1.0 @ git+https://h/f.git@${COMMIT}`,
      'foo',
      '1.0',
      { kind: 'git', url: 'git+https://h/f.git', commit: COMMIT },
    ],
    ['foo @ https://h/foo-1.0.tar.gz', 'foo', '', { kind: 'url', url: 'https://h/foo-1.0.tar.gz' }],
    [
      `foo@git+https://h/f.git@${COMMIT}#egg=x`,
      'foo',
      '',
      { kind: 'git', url: 'git+https://h/f.git', commit: COMMIT },
    ],
    ['git+ssh://git@h/o/foo.git@v1#egg=foo', 'foo', '', { kind: 'git', url: 'git+ssh://git@h/o/foo.git@v1' }],
    ['-e git+https://h/o/foo.git', 'foo', '', { kind: 'git', url: 'git+https://h/o/foo.git' }],
    ['--editable=./libs/foo', 'foo', '', { kind: 'path', path: './libs/foo' }],
    [
      'https://h/foo_bar-1.0%2Bcpu-py3-none-any.whl',
      'foo_bar',
      '1.0+cpu',
      { kind: 'url', url: 'https://h/foo_bar-1.0%2Bcpu-py3-none-any.whl' },
    ],
    ['./downloads/foo-1.0.tar.gz', 'foo', '1.0', { kind: 'path', path: './downloads/foo-1.0.tar.gz' }],
    [
      'https://user:hunter2@h/foo-1.0.zip?sig=hunter2',
      'foo',
      '1.0',
      { kind: 'url', url: 'https://h/foo-1.0.zip' },
    ],
  ])('%s', (line, name, version, source) => {
    expect(readText('requirements.txt', `${line}\n`)).toMatchObject({
      packages: [{ name, version, source, line: 1, direct: undefined, groups: [], dependencies: undefined }],
      problems: version === '' && source.kind === 'registry' ? [{ kind: 'unclear', line: 1 }] : [],
    });
  });

  it.each([
    'foo = 1.0',
    'foo==not a version',
    '{{ template }}',
    'foo @@ https://user:hunter2@h/x.zip',
    `./${'x'.repeat(5_000)}.zip`,
    '-r https://user:hunter2@h/other.txt',
  ])('is a problem: %s', (line) => {
    const { packages, problems } = readText('requirements.txt', `\n${line}\nb==1\n`);
    expect(packages).toMatchObject([{ name: 'b', line: 3 }]);
    expect(problems).toMatchObject([
      { kind: 'unread', line: 2, message: expect.not.stringContaining('hunter2') },
    ]);
  });
});

describe('requirements.txt', () => {
  it('joins lines, reads digests, and skips options and the target itself', () => {
    const text = `--index-url https://user:hunter2@pypi.acme.example/simple
--no-binary :all:
-e .
Foo==1.0 \\
    --hash=sha256:${SHA} \\
    --hash sha512:${SHA}  # comment
# comment \\
b==2
c==3 \\
# comment
`;
    const { packages, problems } = readText('requirements.txt', text);
    expect(problems).toEqual([]);
    expect(packages.map(({ purl, line }) => [purl, line])).toEqual([
      ['pkg:pypi/foo@1.0', 4],
      ['pkg:pypi/b@2', 8],
      ['pkg:pypi/c@3', 9],
    ]);
    expect(packages[0]?.source).toEqual({ kind: 'registry', url: 'https://pypi.acme.example/simple' });
    expect(packages[0]?.integrity).toEqual([
      { algorithm: 'sha256', value: SHA, encoding: 'hex' },
      { algorithm: 'sha512', value: SHA, encoding: 'hex' },
    ]);
  });

  it('reads included files once and applies constraints', () => {
    const { packages, problems } = readText(
      'requirements.txt',
      '-r sub/base.txt\n-c constraints.txt\nfoo\nbar==1\n--requirement missing.txt\n',
      {
        'sub/base.txt': '-r ../requirements.txt\n-r more.txt\nbase==1\nnot a requirement!\n',
        'sub/more.txt': '-r base.txt\nmore==1\n',
        'constraints.txt': 'Foo==2.0\nunused==9\n',
      },
    );
    expect(packages.map(({ id, line }) => [id, line])).toEqual([
      ['more@1', undefined],
      ['base@1', undefined],
      ['foo@2.0', 3],
      ['bar@1', 4],
    ]);
    expect(problems).toEqual([
      { kind: 'unread', line: undefined, message: expect.stringContaining('in sub/base.txt, line 4') },
      { kind: 'unread', line: 5, message: 'includes missing.txt, which is not available' },
    ]);
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from('\uFEFFfoo==1.0\n')],
    ['UTF-16, little end first', Buffer.from('\uFEFFfoo==1.0\r\n', 'utf16le')],
    ['UTF-16, big end first', Buffer.from('\uFEFFfoo==1.0\n', 'utf16le').swap16()],
    ['Latin-1', Buffer.from('# caf\xe9\nfoo==1.0\n', 'latin1')],
  ])('is read in %s', (_encoding, content) => {
    expect(readLockfile({ path: 'requirements.txt', content }).packages).toMatchObject([{ id: 'foo@1.0' }]);
  });

  it('may be empty', () => {
    expect(readText('requirements.txt', '')).toMatchObject({ packages: [], problems: [] });
    // A file of comments could be a file that the reader does not recognise.
    const { problems } = readText('requirements-dev.txt', '# nothing\n');
    expect(problems).toEqual([{ kind: 'unread', line: undefined, message: NO_PACKAGE }]);
  });
});

describe('line separators of Python', () => {
  it('end a comment, as they do for pip', () => {
    const { packages } = readText('requirements.txt', 'a==1.0 # why\fb==2.0\n# c\u2028c==3.0\u001cd==4.0\n');
    expect(packages.map(({ id, line }) => [id, line])).toEqual([
      ['a@1.0', 1],
      ['b@2.0', 1],
      ['c@3.0', 2],
      ['d@4.0', 2],
    ]);
  });
});
