import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages } from '../sbom/sbom.ts';
import { readXml, type XmlElement } from '../syntax/xml-document.ts';
import { readBom } from './bom.ts';

const NAMESPACE = /^https?:\/\/cyclonedx\.org\/schema\/bom\/(\d+)\.\d+$/;
/** Elements that are not needed. They are most of a BOM. */
const UNWANTED = new Set([
  ...['licenses', 'evidence', 'pedigree', 'description', 'copyright', 'supplier', 'manufacturer', 'authors'],
  ...['author', 'publisher', 'tools', 'services', 'vulnerabilities', 'annotations', 'compositions'],
  ...['formulation', 'declarations', 'definitions', 'releaseNotes', 'modelCard', 'data', 'cryptoProperties'],
  ...['swid', 'signature', 'tags', 'lifecycles', 'citations', 'patentAssertions'],
]);

/** CycloneDX in XML. */
export const cyclonedxXml: Format = {
  name: 'cyclonedx-xml',
  title: 'CycloneDX SBOM in XML (1.0 to 1.7)',
  ecosystem: undefined,
  fileNames: ['bom.xml', '*.cdx.xml', '*.cyclonedx.xml'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /<(?:\w+:)?bom\s/.test(head) && head.includes('cyclonedx.org/schema/bom/'),
  read({ path, text }) {
    const root = readXml(text, path, { expected: 'a CycloneDX BOM', unwanted: UNWANTED });
    check(root, path);
    const builder = new LockfileBuilder();
    addPackages(readBom(root), builder);
    return builder.content();
  },
};

function check(root: XmlElement, path: string): void {
  const namespace = Object.values(root.attributes).find((value) => NAMESPACE.test(value));
  if (root.name !== 'bom' || namespace === undefined) {
    throw new LockfileError(
      'wrong-format',
      `${path}:${root.line}: the root element is not <bom> in a namespace of CycloneDX`,
    );
  }
  const major = NAMESPACE.exec(namespace)?.[1];
  if (major !== '1') {
    throw new LockfileError(
      'unsupported-version',
      `${path}: CycloneDX ${major} is not supported; supported: 1.x`,
    );
  }
}
