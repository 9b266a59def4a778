import type { Fix, FixChange } from '../model/advice/fix.ts';
import type { DependencyGraph } from '../model/lockfile/dependency-graph.ts';
import { canonicalName } from '../model/lockfile/spelling.ts';
import type { VersionKey } from '../model/lockfile/version-key.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import { openCandidates } from './candidates.ts';
import { waitsUntil } from './cooldown.ts';
import type { AdviceFacts } from './facts.ts';
import { publicKey } from './holders.ts';
import type { Project } from './project.ts';

type GraphEvidence = Fix['evidence']['graphs'][number];

/** How a direct dependency comes to bring only good versions of a package. */
export type DirectWay =
  | { readonly changes: readonly FixChange[]; readonly graphs: readonly GraphEvidence[] }
  | { readonly reason: string; readonly graphs: readonly GraphEvidence[] };

export interface WayQuestion {
  readonly direct: ResolvedPackage;
  readonly affected: ResolvedPackage;
  readonly project: Project;
  readonly facts: AdviceFacts;
  /** ms since 1970. */
  readonly now: number;
}

/** A graph that was looked at. */
interface Probe extends GraphEvidence {
  readonly graph: DependencyGraph | undefined;
}

/**
 * The smallest version of a direct dependency, the locked one first, whose resolved graph has no affected version of a
 * package. The search halves the later versions: one that brings a good version is assumed to be followed by others that do.
 * The version that is found is verified itself.
 */
export async function findDirectWay(question: WayQuestion): Promise<DirectWay> {
  const { direct, project, facts, now } = question;
  const key = publicKey(direct);
  if (key === undefined) return { reason: `the index does not have ${direct.id}`, graphs: [] };
  const graphs: GraphEvidence[] = [];
  const probe = async (version: string): Promise<Probe> => {
    const probed = await probeGraph({ ...key, version }, question);
    const { graph: _graph, ...evidence } = probed;
    graphs.push(evidence);
    return probed;
  };
  const current = await probe(key.version);
  const relocks = current.good && project.manager.relocks !== 'never' ? relocksFor(current, question) : [];
  // Without anything to lock again, the graph differs from the lockfile in a way that a re-lock does not repair.
  if (relocks.length > 0) return { changes: relocks, graphs };
  const candidates = await openCandidates(facts, key);
  const later = (candidates?.later ?? []).filter(
    (one) => waitsUntil(direct.name, one, project.statement.cooldown, now) === undefined,
  );
  if (later.length === 0) return { reason: `no later version of ${direct.name} can be locked`, graphs };
  const found = await smallestGood(
    later.map(({ version }) => version),
    probe,
  );
  if (found === undefined) {
    const newest = later.at(-1)?.version;
    return {
      reason: `${direct.name} ${newest} brings no good version of ${question.affected.name} either`,
      graphs,
    };
  }
  const good = await candidates?.firstGood(
    later.slice(later.findIndex(({ version }) => version === found.version)),
  );
  const verified = good === undefined || good.version === found.version ? found : await probe(good.version);
  if (good === undefined || !verified.good) {
    return {
      reason: `every version of ${direct.name} that brings a good version is affected itself`,
      graphs,
    };
  }
  const upgrade: FixChange = { name: direct.name, from: direct.version, to: good.version, how: 'upgrade' };
  return { changes: [upgrade, ...relocksFor(verified, question)], graphs };
}

/**
 * The packages to lock again when a direct dependency gets a given version; `undefined` when that version does not bring only
 * good versions of the affected package.
 */
export async function relocksAt(
  version: string,
  question: WayQuestion,
): Promise<readonly FixChange[] | undefined> {
  const key = publicKey(question.direct);
  const probed = key === undefined ? undefined : await probeGraph({ ...key, version }, question);
  return probed?.good === true ? relocksFor(probed, question) : undefined;
}

/** `versions` in their order. */
async function smallestGood(
  versions: readonly string[],
  probe: (version: string) => Promise<Probe>,
): Promise<Probe | undefined> {
  let found = await probe(versions.at(-1) ?? '');
  if (!found.good) return undefined;
  let [low, high] = [0, versions.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const probed = await probe(versions[middle] ?? '');
    if (probed.good) {
      found = probed;
      high = middle;
    } else low = middle + 1;
  }
  return found;
}

/** Whether a resolved graph has only good versions of the package, or none. A graph with errors proves nothing. */
async function probeGraph(key: VersionKey, { affected, facts, project, now }: WayQuestion): Promise<Probe> {
  const graph = await facts.graph(key);
  const brought = versionsIn(graph, affected, key);
  const keys = brought.map((version) => ({ ...nameKey(affected, key), version }));
  const records = await facts.records(keys);
  const published = brought.length === 0 ? [] : ((await facts.versions(nameKey(affected, key))) ?? []);
  const isLockable = (version: string) =>
    published.every(
      (one) =>
        one.version !== version ||
        waitsUntil(affected.name, one, project.statement.cooldown, now) === undefined,
    );
  const good =
    graph !== undefined &&
    graph.errors.length === 0 &&
    graph.nodes.length > 0 &&
    records.every((record) => record?.advisoryIds.length === 0) &&
    brought.every(isLockable);
  return { name: key.name, version: key.version, brings: [...brought], good, graph };
}

function nameKey({ name }: ResolvedPackage, { system }: VersionKey): Pick<VersionKey, 'system' | 'name'> {
  return { system, name: canonicalName(name, system) };
}

function versionsIn(
  graph: DependencyGraph | undefined,
  { name }: Pick<ResolvedPackage, 'name'>,
  { system }: Pick<VersionKey, 'system'>,
): readonly string[] {
  const wanted = canonicalName(name, system);
  const found = graph?.nodes.filter(({ versionKey }) => versionKey.name === wanted) ?? [];
  return [...new Set(found.map(({ versionKey }) => versionKey.version))];
}

/**
 * The packages between the direct dependency and the affected one that stay locked unless they are locked again: their locked
 * version is not in the graph, and what the graph requires permits it.
 */
function relocksFor({ graph }: Probe, { direct, affected, project }: WayQuestion): readonly FixChange[] {
  const root = graph?.nodes[0]?.versionKey;
  if (graph === undefined || root === undefined) return [];
  const { system } = root;
  const scheme = schemeOf(system);
  return project.dependents.between(direct.id, affected.id).flatMap((one): readonly FixChange[] => {
    if (one.id === direct.id) return [];
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
