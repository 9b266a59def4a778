import type { Integrity } from '../../model/lockfile/lockfile.ts';
import type { Format } from '../format.ts';
import { mavenDraft } from '../packages/lockfile-builder.ts';
import { attributeOf, childOf, childrenOf, readXml, type XmlElement } from '../syntax/xml-document.ts';

const UNWANTED = new Set(['configuration', 'pgp']);

/** Gradle's list of checksums: everything that a build may download. */
export const gradleVerificationMetadata: Format = {
  name: 'gradle-verification-metadata',
  title: 'Gradle dependency verification (gradle/verification-metadata.xml)',
  ecosystem: 'maven',
  fileNames: ['verification-metadata.xml'],
  facts: { edges: false, groups: false, integrity: true, lines: true },
  recognises: (head) => /<(?:\w+:)?verification-metadata\b/.test(head),
  read({ path, text }, builder) {
    const root = readXml(text, path, {
      expected: 'a verification-metadata.xml',
      root: 'verification-metadata',
      unwanted: UNWANTED,
    });
    for (const component of childrenOf(childOf(root, 'components'), 'component')) {
      const { line } = component;
      const [group = '', artifact = '', version = ''] = ['group', 'name', 'version'].map((name) =>
        attributeOf(component, name),
      );
      const entry = `${group}:${artifact}:${version}`;
      const draft = mavenDraft({ group, artifact, version }, { line, integrity: integrityOf(component) });
      if (builder.add(draft, line, entry) !== undefined && version === '')
        builder.problem(line, `${JSON.stringify(entry)} has no version`, 'unclear');
    }
  },
};

/** Files that describe a package, in addition to the package itself. */
const METADATA = /\.(?:pom|module|xml|asc)$|-(?:sources|javadoc)\.jar$/;
const ALGORITHMS: ReadonlySet<string> = new Set(['md5', 'sha1', 'sha256', 'sha512']);

/** Digests of the artifacts, including the alternatives in `also-trust`. */
function integrityOf(component: XmlElement): readonly Integrity[] {
  return childrenOf(component, 'artifact')
    .filter((artifact) => !METADATA.test(attributeOf(artifact, 'name') ?? ''))
    .flatMap(({ children }) => children.filter(({ name }) => ALGORITHMS.has(name)))
    .flatMap((digest) =>
      [digest, ...childrenOf(digest, 'also-trust')].flatMap((one): readonly Integrity[] => {
        const value = attributeOf(one, 'value');
        return value === undefined ? [] : [{ algorithm: digest.name, value, encoding: 'hex' }];
      }),
    );
}
