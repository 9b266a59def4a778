import fc from 'fast-check';
import { PackageURL } from 'packageurl-js';
import { describe, expect, it } from 'vitest';
import { readPurl } from '../../src/lockfiles/packages/read-purl.ts';

const part = fc.stringMatching(/^[A-Za-z0-9_.~+%@-]{1,6}$/);
const purl = fc
  .record({
    type: fc.constantFrom('npm', 'maven', 'nuget', 'cargo', 'gem', 'pypi', 'golang', 'deb', 'generic'),
    path: fc.array(
      fc.oneof(
        part,
        part.map((one) => `%40${one}`),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    version: fc.oneof(
      fc.constant(''),
      part.map((one) => `@${one}`),
      fc.constantFrom('@v1.2.3', '@v1', '@1.0+x', '@v01.2.3', '@v1.2.3-rc.1'),
    ),
    qualifiers: fc.constantFrom('', '?type=jar', '?type=', '?type=a%20b', '?b=1&a=2', '#sub/path'),
  })
  .map(({ type, path, version, qualifiers }) => `pkg:${type}/${path.join('/')}${version}${qualifiers}`);

describe('reading a purl', () => {
  it('has the result of packageurl-js with and without the fast path', () => {
    fc.assert(
      fc.property(purl, (text) => {
        let wanted: PackageURL | undefined;
        try {
          wanted = PackageURL.fromString(text);
        } catch {
          // Go versions that are not semantic are accepted.
          if (!text.startsWith('pkg:golang/')) expect(readPurl(text, '')).toEqual(expect.any(String));
          return;
        }
        expect(readPurl(text, '')).toMatchObject({
          ecosystem: wanted.type,
          version: wanted.version ?? '',
          purl: expect.anything(),
        });
        const found = readPurl(text, '');
        // Names of npm keep their capitals.
        const spelled = (one: string) => (wanted?.type === 'npm' ? one.toLowerCase() : one);
        expect(typeof found === 'string' ? found : spelled(found.purl)).toBe(
          spelled(wanted.toString().replaceAll('%3A', ':')),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['pkg:npm/%40angular/core@17.0.0', '@angular/core'],
    ['pkg:npm/@angular/core@17.0.0', '@angular/core'],
    ['pkg:npm/JSONStream@1.3.5', 'JSONStream'],
    ['pkg:maven/org.a/b@1?classifier=sources&type=jar', 'org.a:b'],
    ['pkg:golang/github.com/BurntSushi/toml@v1.3.2', 'github.com/BurntSushi/toml'],
    ['pkg:golang/google.golang.org/api@v0.1.0#storage', 'google.golang.org/api'],
    ['pkg:composer/symfony/yaml@6.0', 'symfony/yaml'],
    ['pkg:deb/debian/curl@7.50?arch=i386', 'curl'],
    ['pkg:PYPI/Django_Rest@1', 'Django_Rest'],
    ['pkg://npm//left-pad@1', 'left-pad'],
  ])('%s is named %s', (text, name) => {
    expect(readPurl(text, '')).toMatchObject({ name });
  });

  it.each([
    ['pkg:golang/example.org/a@v1', 'golang', 'example.org/a', 'v1'],
    ['pkg:swift/github.com/Alamofire/Alamofire', 'swift', 'github.com/Alamofire/Alamofire', ''],
    ['pkg:cran/ggplot2', 'cran', 'ggplot2', ''],
    ['pkg:conan/me/stable/zlib@1.3', 'conan', 'zlib', '1.3'],
    ['pkg:oci/library/alpine@3', 'oci', 'library/alpine', '3'],
  ])('reads %s although its type requires more', (text, ecosystem, name, version) => {
    expect(readPurl(text, '')).toMatchObject({ ecosystem, name, version, purl: text });
  });

  it('adds the separate version, and decodes one in the name', () => {
    expect(readPurl('pkg:npm/a', '1.0')).toMatchObject({ purl: 'pkg:npm/a@1.0', version: '1.0' });
    expect(readPurl('pkg:npm/a%401.0', '1.0')).toMatchObject({ name: 'a', purl: 'pkg:npm/a@1.0' });
    expect(readPurl('pkg:npm/a@2.0', '1.0')).toMatchObject({ version: '2.0' });
    expect(readPurl('pkg:npm/a', '')).toMatchObject({ purl: 'pkg:npm/a', version: '' });
  });

  it.each([
    '',
    'npm/a@1',
    'pkg:',
    'pkg:npm',
    'pkg:maven/b@1',
    'pkg:swift/Alamofire',
    'pkg:cran/@1',
    'pkg:npm/%ZZ@1',
    'pkg://u:p@h/npm/a',
  ])('returns a reason for %j', (text) => {
    expect(readPurl(text, '')).toMatch(/\w/);
  });
});
