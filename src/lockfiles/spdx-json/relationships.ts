import type { Group } from '../../model/lockfile/lockfile.ts';
import { addRelation, type Relations } from '../sbom/sbom.ts';

export interface Relationship {
  readonly from: string;
  readonly type: string;
  readonly to: string;
}

export interface SpdxRelations {
  readonly dependsOn: Relations;
  readonly contains: Relations;
  /** For elements that are needed under a condition only. */
  readonly groups: ReadonlyMap<string, readonly Group[]>;
  /** Elements that the document describes. */
  readonly described: readonly string[];
  /** The elements of which an element is a copy or a variant. */
  readonly copies: Relations;
}

interface Meaning {
  readonly kind: 'dependsOn' | 'contains' | 'describes' | 'copies';
  /** Whether the relationship leads from the related element to the first one. */
  readonly isReversed?: true;
  /** The condition of a dependency. */
  readonly group?: Group;
}

/** The relationships between packages (SPDX 2.3, clause 11). Others are ignored. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['DESCRIBES', { kind: 'describes' }],
  // Older versions of trivy write this.
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
    if (isNoElement(owner)) continue;
    if (meaning.kind === 'describes') described.add(owned);
    // `A DEPENDS_ON NONE`: A has no dependencies.
    else if (owned !== 'NOASSERTION')
      addRelation(relations[meaning.kind], owner, isNoElement(owned) ? [] : [owned]);
    if (meaning.group !== undefined) conditional.push({ owned, group: meaning.group });
    else if (meaning.kind === 'dependsOn') addRelation(plain, owner, [owned]);
  }
  return {
    ...relations,
    groups: groupsOf([plain, relations.contains], conditional),
    described: [...described],
  };
}

function isNoElement(id: string): boolean {
  return id === 'NONE' || id === 'NOASSERTION';
}

/** A dependency under a condition. */
interface ConditionalEdge {
  readonly owned: string;
  readonly group: Group;
}

/**
 * Groups by element. An element that is reachable from the top without a condition is in none; any other element has the
 * groups of all conditional edges that lead to it. `plain`: the relations without a condition.
 */
function groupsOf(
  plain: readonly Relations[],
  conditional: readonly ConditionalEdge[],
): ReadonlyMap<string, readonly Group[]> {
  if (conditional.length === 0) return new Map();
  const owned = new Set(conditional.map((edge) => edge.owned));
  for (const relations of plain)
    for (const keys of relations.values()) for (const key of keys) owned.add(key);
  const owners = plain.flatMap((relations) => [...relations.keys()]);
  const always = reached(
    owners.filter((key) => !owned.has(key)),
    plain,
  );
  const groups = new Map<string, Group[]>();
  for (const group of [...new Set(conditional.map((edge) => edge.group))].sort()) {
    const starts = conditional.filter((edge) => edge.group === group).map((edge) => edge.owned);
    for (const key of reached(starts, plain)) {
      if (always.has(key)) continue;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [group]);
      else known.push(group);
    }
  }
  return groups;
}

function reached(starts: readonly string[], relations: readonly Relations[]): ReadonlySet<string> {
  const seen = new Set(starts);
  // Iteration over a set includes elements that are added during it.
  for (const key of seen) {
    for (const one of relations) for (const next of one.get(key) ?? []) seen.add(next);
  }
  return seen;
}
