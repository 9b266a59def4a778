import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/scan/finding.ts';
import { codeOwners, findingOwners } from '../../src/policy/owners.ts';

const GITHUB = `
# Everything
*                     @acme/all
/web/                 @acme/web @ann   # with a comment
docs/*                @acme/docs
apps/**/Cargo.lock    @acme/rust ops@acme.example
/vendor/
path\\ with\\ space/    @acme/space
!/web/legacy          @acme/nobody
word without owners
`;

const GITLAB = `
[Frontend] @acme/web
web/
web/admin/ @acme/admin
^[Security][2] @acme/security
package-lock.json
!web/public/package-lock.json
`;

describe('the owners of a file by CODEOWNERS', () => {
  it.each<[string, readonly string[]]>([
    ['package-lock.json', ['@acme/all']],
    ['web/package-lock.json', ['@acme/web', '@ann']],
    ['web/a/b/yarn.lock', ['@acme/web', '@ann']],
    ['other/web/yarn.lock', ['@acme/all']],
    ['docs/package-lock.json', ['@acme/docs']],
    ['docs/site/package-lock.json', ['@acme/all']],
    ['apps/a/b/Cargo.lock', ['@acme/rust', 'ops@acme.example']],
    ['vendor/go.sum', []],
    ['path with space/go.mod', ['@acme/space']],
    ['web/legacy/yarn.lock', []],
  ])('of GitHub: %s', (path, owners) => {
    expect(codeOwners(GITHUB, path)).toEqual(owners);
  });

  it.each<[string, readonly string[]]>([
    ['web/package-lock.json', ['@acme/security', '@acme/web']],
    ['web/admin/package-lock.json', ['@acme/admin', '@acme/security']],
    ['web/public/package-lock.json', ['@acme/web']],
    ['web/yarn.lock', ['@acme/web']],
    ['api/go.sum', []],
  ])('of GitLab, by sections: %s', (path, owners) => {
    expect(codeOwners(GITLAB, path)).toEqual(owners);
  });

  it('are found in time for hostile files', () => {
    const hostile = [
      `${'**/'.repeat(5_000)}a @x`,
      `${'\\ '.repeat(50_000)} @x`,
      `[${'['.repeat(50_000)} @x`,
      `a ${'@'.repeat(50_000)}`,
      `${'a'.repeat(100_000)} @x`,
      ...Array.from({ length: 5_000 }, (_, index) => `/folder-${index}/*/a[b-c]?* @team-${index}`),
    ];
    expect(codeOwners(hostile.join('\n'), `${'a/'.repeat(40)}package-lock.json`)).toEqual([]);
    expect(codeOwners('* @a\r\n\u0000 @b\n[', 'a/go.sum')).toEqual(['@a']);
  });
});

describe('the owners of a finding', () => {
  const finding = (...paths: string[]) =>
    ({ locations: paths.map((path) => ({ path, dependencyPath: [] })) }) as unknown as Finding;
  const policy = {
    owners: [
      { target: 'shop*', paths: ['web/**'], owners: ['@acme/web'] },
      { labels: { team: 'pay*' }, owners: ['@acme/pay'] },
    ],
  } as never;

  it('are those of its lockfiles, else those of the first rule that fits', () => {
    const target = { id: 'shop', labels: { team: 'payments' } };
    const owned = findingOwners(policy, target, new Map([['web/go.sum', ['@go']]]));
    expect(owned(finding('web/go.sum')).owners).toEqual(['@go']);
    expect(owned(finding('web/yarn.lock', 'api/yarn.lock')).owners).toEqual(['@acme/pay', '@acme/web']);
  });

  it('are absent where nothing names any', () => {
    const owned = findingOwners(policy, { id: 'other', labels: {} }, new Map());
    expect(owned(finding('web/go.sum'))).not.toHaveProperty('owners');
  });
});
