import type { Group } from '../../model/scan/lockfile.ts';
import { addRelation, type Relations } from '../sbom/sbom-relations.ts';
import { type ConditionalEdge, groupsOf } from './groups.ts';

export interface Relationship {
  readonly from: string;
  readonly type: string;
  readonly to: string;
}

export interface SpdxRelations {
  readonly dependsOn: Relations;
  readonly contains: Relations;
  /** Of what is needed under a condition only. */
  readonly groups: ReadonlyMap<string, readonly Group[]>;
  /** What the document is about. */
  readonly described: readonly string[];
  /** By an element, what it is the same as, with or without changes. */
  readonly copies: Relations;
}

interface Meaning {
  readonly kind: 'dependsOn' | 'contains' | 'describes' | 'copies';
  /** Whether the related element is the one that has the other. */
  readonly isReversed?: true;
  /** The condition under which it is needed. */
  readonly group?: Group;
}

/** Types of relationships (SPDX 2.3, clause 11) that say how packages hang together; the others do not. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['DESCRIBES', { kind: 'describes' }],
  // As older SBOMs of trivy have it.
  ['DESCRIBE', { kind: 'describes' }],
  ['DESCRIBED_BY', { kind: 'describes', isReversed: true }],
  ['DEPENDS_ON', { kind: 'dependsOn' }],
  ['HAS_PREREQUISITE', { kind: 'dependsOn' }],
  ['DYNAMIC_LINK', { kind: 'dependsOn' }],
  ['STATIC_LINK', { kind: 'dependsOn' }],
  ['DEPENDENCY_OF', { kind: 'dependsOn', isReversed: true }],
  ['PREREQUISITE_FOR', { kind: 'dependsOn', isReversed: true }],
  ['RUNTIME_DEPENDENCY_OF', { kind: 'dependsOn', isReversed: true }],
  ['DEV_DEPENDENCY_OF', { kind: 'dependsOn', isReversed: true, group: 'dev' }],
  ['DEV_TOOL_OF', { kind: 'dependsOn', isReversed: true, group: 'dev' }],
  ['TEST_DEPENDENCY_OF', { kind: 'dependsOn', isReversed: true, group: 'test' }],
  ['TEST_TOOL_OF', { kind: 'dependsOn', isReversed: true, group: 'test' }],
  ['BUILD_DEPENDENCY_OF', { kind: 'dependsOn', isReversed: true, group: 'build' }],
  ['BUILD_TOOL_OF', { kind: 'dependsOn', isReversed: true, group: 'build' }],
  ['PROVIDED_DEPENDENCY_OF', { kind: 'dependsOn', isReversed: true, group: 'provided' }],
  ['OPTIONAL_DEPENDENCY_OF', { kind: 'dependsOn', isReversed: true, group: 'optional' }],
  ['OPTIONAL_COMPONENT_OF', { kind: 'dependsOn', isReversed: true, group: 'optional' }],
  ['CONTAINS', { kind: 'contains' }],
  ['CONTAINED_BY', { kind: 'contains', isReversed: true }],
  ['PACKAGE_OF', { kind: 'contains', isReversed: true }],
  ['ANCESTOR_OF', { kind: 'copies', isReversed: true }],
  ['DESCENDANT_OF', { kind: 'copies' }],
  ['COPY_OF', { kind: 'copies' }],
]);

export function readRelationships(relationships: readonly Relationship[]): SpdxRelations {
  const relations = {
    dependsOn: new Map<string, string[]>(),
    contains: new Map<string, string[]>(),
    copies: new Map<string, string[]>(),
  };
  const described = new Set<string>();
  const plain = new Map<string, string[]>();
  const conditional: ConditionalEdge[] = [];
  for (const { from, type, to } of relationships) {
    const meaning = MEANINGS.get(type) ?? MEANINGS.get(type.toUpperCase());
    if (meaning === undefined) continue;
    const [owner, owned] = meaning.isReversed === true ? [to, from] : [from, to];
    if (isNobody(owner)) continue;
    if (meaning.kind === 'describes') described.add(owned);
    // `A DEPENDS_ON NONE` says that it depends on nothing.
    else if (owned !== 'NOASSERTION')
      addRelation(relations[meaning.kind], owner, isNobody(owned) ? [] : [owned]);
    if (meaning.group !== undefined) conditional.push({ owned, group: meaning.group });
    else if (meaning.kind === 'dependsOn') addRelation(plain, owner, [owned]);
  }
  return {
    ...relations,
    groups: groupsOf([plain, relations.contains], conditional),
    described: [...described],
  };
}

function isNobody(id: string): boolean {
  return id === 'NONE' || id === 'NOASSERTION';
}
