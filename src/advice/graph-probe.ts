import type { Fix, FixChange } from '../model/advice/fix.ts';
import type { DependencyGraph } from '../model/lockfile/dependency-graph.ts';
import type { VersionKey } from '../model/lockfile/ecosystem.ts';
import { canonicalName } from '../model/lockfile/ecosystem.ts';
import type { PublishedVersion } from '../model/ports/insights.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import { proofOf, waitOf, waitsUntil } from './candidates.ts';
import type { AdvisedRecord } from './facts.ts';
import { allOf, bad, GOOD, type Proof, type Search, unknown } from './proof.ts';
import { type RequiredQuestion, requiredGraph } from './required-graph.ts';

export type GraphEvidence = Fix['evidence']['graphs'][number];

/** The question what another version of a locked package would bring. */
export interface GraphQuestion extends RequiredQuestion {
  /** The locked package; the affected one is below it. */
  readonly root: ResolvedPackage;
}

/** The known facts about a version of a package that brings an affected one. */
export interface Probe {
  readonly name: string;
  readonly version: string;
  /** Whether its graph has only good versions of the affected package, or none. */
  readonly proof: Proof;
  /** Versions of the affected package in the graph. */
  readonly brings: readonly string[];
  readonly graph: DependencyGraph | undefined;
}

/** Asks for the graph of a version. A graph with errors refutes, but proves nothing. */
export async function probeGraph(
  key: VersionKey,
  { affected, facts, project, now }: Omit<GraphQuestion, 'root'>,
): Promise<Probe> {
  const { name, version } = key;
  const search = await graphOf(key, { affected, facts, project, now });
  if (search.state !== 'good') return { name, version, proof: search, brings: [], graph: undefined };
  const { found: graph } = search;
  const own = { system: key.system, name: canonicalName(affected.name, key.system) };
  const brings = versionsIn(graph, affected, key);
  const records = await facts.records(brings.map((one) => ({ ...own, version: one })));
  const published = brings.length === 0 ? [] : ((await facts.versions(own))?.versions ?? []);
  const isHeld = (one: PublishedVersion) =>
    brings.includes(one.version) &&
    waitsUntil(affected.name, one, project.statement.cooldown, now) !== undefined;
  const proof = allOf([
    // What a cooldown makes the package manager select instead is not in the graph.
    ...published
      .filter(isHeld)
      .map((one) =>
        unknown(`${project.statement.cooldown?.where} does not permit ${own.name} ${one.version} yet`),
      ),
    ...brings.map((one, index) => broughtProof(key, own.name, one, records[index])),
    completeness(graph, key),
  ]);
  return { name, version, proof, brings, graph };
}

/**
 * The graph that a lockfile gets by declared requirements, or else that of a new installation. Where only some packages of a lockfile are
 * known, that comes first.
 */
async function graphOf(
  key: VersionKey,
  question: Omit<GraphQuestion, 'root'>,
): Promise<Search<DependencyGraph>> {
  const { facts, project } = question;
  if (!project.isWhole) {
    const resolved = await facts.graph(key);
    if (resolved.state === 'good') return resolved;
    const required = await requiredGraph(key, question);
    return required.state === 'good' ? required : resolved;
  }
  const required = await requiredGraph(key, question);
  return required.state === 'good' ? required : await facts.graph(key);
}

function broughtProof(
  root: VersionKey,
  name: string,
  version: string,
  record: AdvisedRecord | undefined,
): Proof {
  // A deprecated version clears the findings, too.
  const proof = proofOf(name, version, record && { ...record, isDeprecated: false });
  return proof.state === 'bad'
    ? bad(
        `${root.name} ${root.version} brings ${name} ${version}, ${waitOf(record) === undefined ? 'which is affected' : `and ${proof.reason}`}`,
      )
    : proof;
}

function completeness({ nodes, errors }: DependencyGraph, { name, version }: VersionKey): Proof {
  const [first] = errors;
  if (nodes.length > 0 && first === undefined) return GOOD;
  return unknown(
    `the dependency graph of ${name} ${version} has errors${first === undefined ? '' : `: ${first}`}`,
  );
}

/** A probe as evidence of a fix. */
export function evidenceOf({ name, version, proof, brings }: Probe): GraphEvidence {
  return {
    name,
    version,
    brings: [...brings],
    good: proof.state === 'good',
    ...(proof.state === 'unknown' ? { unknown: proof.reason } : {}),
  };
}

function versionsIn(
  { nodes }: DependencyGraph,
  { name }: Pick<ResolvedPackage, 'name'>,
  { system }: Pick<VersionKey, 'system'>,
): readonly string[] {
  const wanted = canonicalName(name, system);
  const found = nodes.filter(({ versionKey }) => versionKey.name === wanted);
  return [...new Set(found.map(({ versionKey }) => versionKey.version))];
}

/**
 * The packages between the root of the graph and the affected one that stay locked unless they are locked again: their locked
 * version is not in the graph, and what the graph requires permits it.
 */
export function relocksFor(
  { graph }: Probe,
  { root: holder, affected, project }: GraphQuestion,
): readonly FixChange[] {
  const root = graph?.nodes[0]?.versionKey;
  if (graph === undefined || root === undefined) return [];
  const { system } = root;
  const scheme = schemeOf(system);
  return project.dependents.between(holder.id, affected.id).flatMap((one): readonly FixChange[] => {
    if (one.id === holder.id) return [];
    const versions = versionsIn(graph, one, root);
    const to = versions.toSorted((left, right) => scheme.compare(right, left))[0];
    if (to === undefined || versions.includes(one.version) || !staysLocked(graph, one, scheme, system))
      return [];
    return [{ name: one.name, from: one.version, to, how: 're-lock' }];
  });
}

function staysLocked(
  graph: DependencyGraph,
  { name, version }: ResolvedPackage,
  scheme: ReturnType<typeof schemeOf>,
  system: VersionKey['system'],
): boolean {
  const wanted = canonicalName(name, system);
  return graph.edges.some(({ to, requirement }) => {
    if (graph.nodes[to]?.versionKey.name !== wanted) return false;
    return requirement === undefined || scheme.satisfies(version, requirement) !== false;
  });
}
