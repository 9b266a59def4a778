import type { Integrity } from '../../model/scan/lockfile.ts';
import { mavenDraft } from '../ecosystems/maven-draft.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { PackageCollector } from '../packages/package-collector.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { attributeOf, childOf, childrenOf, readXml, type XmlElement } from '../syntax/xml-document.ts';

const NAME = 'gradle-verification-metadata';

/** Gradle's list of checksums: everything that a build may download. */
export const gradleVerificationMetadata: Format = {
  name: NAME,
  title: 'Gradle dependency verification (gradle/verification-metadata.xml)',
  ecosystem: 'maven',
  fileNames: ['verification-metadata.xml'],
  facts: { edges: false, groups: false, integrity: true, lines: true },
  recognises: (head) => /<(?:\w+:)?verification-metadata\b/.test(head),
  read({ path, text }) {
    const root = readXml(text, path, { expected: 'a verification-metadata.xml', unwanted: UNWANTED });
    if (root.name !== 'verification-metadata') {
      throw new LockfileError('wrong-format', `${path}:${root.line}: the XML is no <verification-metadata>`);
    }
    const collector = new PackageCollector();
    const problems = new ProblemList();
    for (const component of childrenOf(childOf(root, 'components'), 'component')) {
      const { line } = component;
      const [group = '', artifact = '', version = ''] = ['group', 'name', 'version'].map((name) =>
        attributeOf(component, name),
      );
      const draft = mavenDraft({ group, artifact, version }, { line, integrity: integrityOf(component) });
      const shown = JSON.stringify(`${group}:${artifact}:${version}`);
      if (typeof draft === 'string') problems.add(line, `${shown} ${draft}`);
      else {
        if (version === '') problems.add(line, `${shown} has no version`, 'unclear');
        collector.add(draft);
      }
    }
    return { format: NAME, packages: collector.packages(), problems: problems.all() };
  },
};

const UNWANTED = new Set(['configuration', 'pgp']);
/** What describes a package, beside the package itself. */
const METADATA = /\.(?:pom|module|xml|asc)$|-(?:sources|javadoc)\.jar$/;
const ALGORITHMS: ReadonlySet<string> = new Set(['md5', 'sha1', 'sha256', 'sha512']);

/** Digests of the artifacts; `also-trust` names others that are as good. */
function integrityOf(component: XmlElement): readonly Integrity[] {
  return childrenOf(component, 'artifact')
    .filter((artifact) => !METADATA.test(attributeOf(artifact, 'name') ?? ''))
    .flatMap(({ children }) => children.filter(({ name }) => ALGORITHMS.has(name)))
    .flatMap((digest) => {
      const values = [digest, ...childrenOf(digest, 'also-trust')].map((one) => attributeOf(one, 'value'));
      return values.flatMap((value) => digestOf(digest.name, value));
    });
}

function digestOf(algorithm: string, value: string | undefined): readonly Integrity[] {
  return value === undefined ? [] : [{ algorithm, value, encoding: 'hex' }];
}
