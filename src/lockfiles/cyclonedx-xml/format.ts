import type { JsonObject } from '../../model/json-object.ts';
import { readBom } from '../cyclonedx-json/format.ts';
import { LockfileError, unsupported } from '../errors.ts';
import type { Format } from '../format.ts';
import { addPackages } from '../sbom/sbom.ts';
import type { LineNode } from '../syntax/json-lines.ts';
import { attributeOf, childOf, childrenOf, readXml, type XmlElement } from '../syntax/xml-document.ts';

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
  read({ path, text }, builder) {
    const root = readXml(text, path, { expected: 'a CycloneDX BOM', unwanted: UNWANTED });
    check(root, path);
    const { value, lines } = asJson(root);
    addPackages(readBom(value, { lines: lines.members, path }, builder), builder);
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
  if (major !== '1') throw unsupported(path, `CycloneDX ${major}`, '1.x');
}

/** Converts a BOM to the common model. */
/** A part of a BOM as JSON writes it, with the lines of its components. */
interface Part {
  readonly value: JsonObject;
  readonly lines: LineNode;
}

/** The components in an element, as JSON writes them. */
function componentsIn(element: XmlElement) {
  const parts = childrenOf(childOf(element, 'components'), 'component').map(componentOf);
  const elements = parts.map(({ lines }) => lines);
  return {
    components: parts.map(({ value }) => value),
    lines: new Map([['components', { line: element.line, members: undefined, elements }]]),
  };
}

function componentOf(element: XmlElement): Part {
  const { components, lines } = componentsIn(element);
  const texts = element.children.filter(({ text }) => text.trim() !== '').toReversed();
  const value = {
    ...Object.fromEntries(texts.map(({ name, text }) => [name, text])),
    type: attributeOf(element, 'type'),
    'bom-ref': attributeOf(element, 'bom-ref'),
    hashes: hashesOf(element),
    externalReferences: childrenOf(childOf(element, 'externalReferences'), 'reference').map((one) => ({
      type: attributeOf(one, 'type'),
      url: childOf(one, 'url')?.text,
      hashes: hashesOf(one),
    })),
    properties: childrenOf(childOf(element, 'properties'), 'property').map((one) => ({
      name: attributeOf(one, 'name'),
      value: one.text,
    })),
    components,
  };
  return { value, lines: { line: element.line, members: lines, elements: undefined } };
}

function hashesOf(element: XmlElement): readonly JsonObject[] {
  return childrenOf(childOf(element, 'hashes'), 'hash').map((hash) => ({
    alg: attributeOf(hash, 'alg'),
    content: hash.text,
  }));
}

/** The BOM as JSON writes it. */
function asJson(root: XmlElement): Part {
  const { components, lines } = componentsIn(root);
  const about = childOf(childOf(root, 'metadata'), 'component');
  const subject = about && componentOf(about);
  const value = {
    components,
    metadata: { component: subject?.value },
    dependencies: dependenciesOf(root),
  };
  const members = new Map<string, LineNode>(lines);
  if (subject !== undefined) {
    const own = new Map([['component', subject.lines]]);
    members.set('metadata', { line: root.line, members: own, elements: undefined });
  }
  return { value, lines: { line: root.line, members, elements: undefined } };
}

/** An element without children says that the component depends on nothing only where it is outermost. */
function dependenciesOf(root: XmlElement): readonly JsonObject[] {
  const pending = [...childrenOf(childOf(root, 'dependencies'), 'dependency')];
  const outermost = pending.length;
  const found: JsonObject[] = [];
  for (const [index, element] of pending.entries()) {
    const inner = childrenOf(element, 'dependency');
    if (index < outermost || inner.length > 0) {
      found.push({
        ref: attributeOf(element, 'ref'),
        dependsOn: inner.map((one) => attributeOf(one, 'ref')),
      });
    }
    for (const one of inner) pending.push(one);
  }
  return found;
}
