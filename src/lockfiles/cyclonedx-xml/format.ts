import type { Integrity } from '../../model/lockfile/lockfile.ts';
import {
  type Component,
  componentEntry,
  isWantedProperty,
  type Subject,
} from '../cyclonedx-json/component.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { addPackages, addRelation, type Relations, type Sbom, type SbomEntry } from '../sbom/sbom.ts';
import { sbomDigest } from '../sbom/values.ts';
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
    addPackages(readBom(root), builder);
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

/** Converts a BOM to the common model. */
function readBom(root: XmlElement): Sbom {
  const about = childOf(childOf(root, 'metadata'), 'component');
  const subject = {
    ref: (about && attributeOf(about, 'bom-ref')) ?? '',
    purl: childOf(about, 'purl')?.text.trim() ?? '',
  };
  const entries: SbomEntry[] = [];
  if (about !== undefined) entries.push(componentEntry(readComponent(about), subject, true));
  addComponents(root, { entries, subject, inside: false });
  if (about !== undefined) addComponents(about, { entries, subject, inside: true });
  return {
    entries,
    dependsOn: readDependencies(root),
    contains: new Map(),
    isComplete: false,
    subjects: new Set(),
  };
}

interface Walk {
  readonly entries: SbomEntry[];
  readonly subject: Subject;
  readonly inside: boolean;
}

/** Adds the components in an element, recursively: `readXml` limits the depth. */
function addComponents(parent: XmlElement, walk: Walk): void {
  for (const component of childrenOf(childOf(parent, 'components'), 'component')) {
    walk.entries.push(componentEntry(readComponent(component), walk.subject, walk.inside));
    addComponents(component, walk);
  }
}

function readComponent(element: XmlElement): Component {
  const text: Record<string, string> = { group: '', name: '', version: '', purl: '', scope: '', cpe: '' };
  for (const child of element.children) if (text[child.name] === '') text[child.name] = child.text.trim();
  const references = childrenOf(childOf(element, 'externalReferences'), 'reference');
  const distribution = references.find((one) => attributeOf(one, 'type') === 'distribution');
  const { group = '', name = '', version = '', purl = '', scope = '', cpe = '' } = text;
  return {
    ...{ group, name, version, purl, scope, cpe },
    type: attributeOf(element, 'type')?.toLowerCase() ?? '',
    ref: attributeOf(element, 'bom-ref') ?? '',
    properties: childrenOf(childOf(element, 'properties'), 'property').flatMap((property) => {
      const named = attributeOf(property, 'name') ?? '';
      return isWantedProperty(named) ? [[named, property.text.trim()] as const] : [];
    }),
    integrity: integrityOf(element, distribution),
    distribution: childOf(distribution, 'url')?.text.trim() ?? '',
    line: element.line,
  };
}

/** Digests of the component, else those of its distribution. */
function integrityOf(element: XmlElement, distribution: XmlElement | undefined): readonly Integrity[] {
  const own = digestsIn(element);
  if (own.length > 0) return own;
  return distribution === undefined ? own : digestsIn(distribution);
}

function digestsIn(element: XmlElement): readonly Integrity[] {
  return childrenOf(childOf(element, 'hashes'), 'hash').flatMap(
    (hash) => sbomDigest(attributeOf(hash, 'alg'), hash.text) ?? [],
  );
}

/** Nested elements are the dependencies of their parent. Only an outermost element without any has no dependencies. */
function readDependencies(root: XmlElement): Relations {
  const dependencies = new Map<string, string[]>();
  const pending = childrenOf(childOf(root, 'dependencies'), 'dependency').map((element) => ({
    element,
    isOutermost: true,
  }));
  for (const { element, isOutermost } of pending) {
    const from = attributeOf(element, 'ref');
    const inner = childrenOf(element, 'dependency');
    if (from !== undefined && (isOutermost || inner.length > 0)) {
      addRelation(
        dependencies,
        from,
        inner.flatMap((one) => attributeOf(one, 'ref') ?? []),
      );
    }
    for (const one of inner) pending.push({ element: one, isOutermost: false });
  }
  return dependencies;
}
