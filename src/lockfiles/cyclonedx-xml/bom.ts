import type { Integrity } from '../../model/scan/lockfile.ts';
import {
  type Component,
  componentEntry,
  isGroupProperty,
  type Subject,
} from '../cyclonedx-json/component.ts';
import { addRelation, type Relations, type Sbom, type SbomEntry } from '../sbom/sbom.ts';
import { sbomDigest } from '../sbom/values.ts';
import { attributeOf, childOf, childrenOf, type XmlElement } from '../syntax/xml-document.ts';

/** Converts a BOM to the common model. */
export function readBom(root: XmlElement): Sbom {
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
  const { group = '', name = '', version = '', purl = '', scope = '', cpe = '' } = text;
  return {
    ...{ group, name, version, purl, scope, cpe },
    type: attributeOf(element, 'type')?.toLowerCase() ?? '',
    ref: attributeOf(element, 'bom-ref') ?? '',
    properties: childrenOf(childOf(element, 'properties'), 'property').flatMap((property) => {
      const named = attributeOf(property, 'name') ?? '';
      return isGroupProperty(named) ? [[named, property.text.trim()] as const] : [];
    }),
    integrity: integrityOf(element),
    line: element.line,
  };
}

/** Digests of the component, else those of its distribution. */
function integrityOf(element: XmlElement): readonly Integrity[] {
  const own = digestsIn(element);
  if (own.length > 0) return own;
  const references = childrenOf(childOf(element, 'externalReferences'), 'reference');
  const distribution = references.find((one) => attributeOf(one, 'type') === 'distribution');
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
