import type * as api from '../../model/api/insights-api.generated.ts';
import type { DependencyGraph } from '../../model/lockfile/dependency-graph.ts';
import { formatVersionKey } from '../../model/lockfile/ecosystem.ts';
import type { DeclaredRequirement } from '../../model/signal/release-facts.ts';
import { type Answer, formatProblem } from '../answered.ts';
import { readVersionKey } from './version-record.ts';

type Node = DependencyGraph['nodes'][number];

/** A resolved graph. Throws `InsightsError` (`contract`) when a node does not name its version. */
export function readDependencyGraph({ value, problems }: Answer<api.Dependencies>): DependencyGraph {
  const errors = problems.map(formatProblem);
  const { error = '' } = value;
  if (error !== '') errors.push(error);
  const nodes = (value.nodes ?? []).map((node) => readNode(node, errors));
  const edges = (value.edges ?? []).flatMap(({ fromNode: from, toNode: to, requirement }, index) => {
    // The service sends 0 for the root, so an absent end is not the root.
    if (from === undefined || to === undefined) {
      errors.push(`edge ${index} has an end that could not be read`);
      return [];
    }
    if (nodes[from] !== undefined && nodes[to] !== undefined) {
      return [{ from, to, ...(requirement === undefined ? {} : { requirement }) }];
    }
    errors.push(`edge ${index} leads from node ${from} to node ${to}, and there are ${nodes.length}`);
    return [];
  });
  return { nodes, edges, errors };
}

function readNode(node: api.DependencyNode, errors: string[]): Node {
  const versionKey = readVersionKey(node.versionKey);
  for (const error of node.errors ?? []) errors.push(`${formatVersionKey(versionKey)}: ${error}`);
  const { relation } = node;
  if (relation === 'SELF' || relation === 'DIRECT') return { versionKey, relation };
  return { versionKey, relation: 'INDIRECT' };
}

/** More than any release has. */
const MAX_REQUIREMENTS = 5_000;

/**
 * Reads the requirements of a version of Cargo, Go, npm or PyPI for its installation. `undefined` for an answer with none of them, with too
 * many, or with parts that cannot be read: without one of them, the rest says too little.
 */
export function readDeclared({
  value: { cargo, pypi, go, npm },
  problems,
}: Answer<api.Requirements>): readonly DeclaredRequirement[] | undefined {
  const stated = cargo ? ofCargo(cargo) : pypi ? ofPypi(pypi) : npm ? ofNpm(npm) : go && ofGo(go);
  const isReadable = problems.length === 0 && (stated?.length ?? 0) <= MAX_REQUIREMENTS;
  return isReadable && stated?.every(({ name }) => name !== '') ? stated : undefined;
}

/** Requirements of development are those of the crate itself. */
function ofCargo({ dependencies = [] }: api.CargoRequirements): readonly DeclaredRequirement[] {
  return dependencies.flatMap(({ name = '', requirement = '', kind = '', optional = false }) =>
    kind.toLowerCase() === 'dev' ? [] : { name, requirement, isConditional: optional },
  );
}

/** The lists stand in the order in which npm reads them: the last one that has a name decides. */
function ofNpm({ dependencies: lists = {} }: api.NpmRequirements): readonly DeclaredRequirement[] {
  const { peerDependencies = [], dependencies = [], optionalDependencies = [] } = lists;
  const peers = peerDependencies.map((one) => ({ ...one, isPeer: true }));
  const byKey = new Map(
    [...peers, ...dependencies, ...optionalDependencies].map((one) => [one.name, one] as const),
  );
  return [...byKey.values()].map(({ name = '', requirement = '', ...peer }) => {
    return { name: packageFor(name, requirement), requirement, isConditional: false, ...peer };
  });
}

/** The package that npm installs under a name: that of an alias (`npm:name@^1`). */
export function packageFor(name: string, requirement: string): string {
  return /^npm:(@?[^@]+)/.exec(requirement)?.[1] ?? name;
}

function ofPypi({ dependencies = [] }: api.PyPIRequirements): readonly DeclaredRequirement[] {
  return dependencies.map(({ projectName = '', versionSpecifier = '', environmentMarker = '' }) => ({
    name: projectName,
    requirement: versionSpecifier,
    isConditional: environmentMarker !== '',
  }));
}

/** Since Go 1.17, a module states all modules that its packages need. */
function ofGo({
  directDependencies = [],
  indirectDependencies = [],
}: api.GoRequirements): readonly DeclaredRequirement[] {
  return [...directDependencies, ...indirectDependencies].map(({ name = '', requirement = '' }) => ({
    name,
    requirement,
    isConditional: false,
  }));
}
