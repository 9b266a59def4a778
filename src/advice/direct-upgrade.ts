import type { FixChange } from '../model/advice/fix.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { openCandidates } from './candidates.ts';
import { waitsUntil } from './cooldown.ts';
import { type GraphEvidence, type GraphQuestion, type Probe, probeGraph, relocksFor } from './graph-probe.ts';
import { publicKey } from './holders.ts';

/** How a direct dependency comes to bring only good versions of a package. */
export type DirectWay =
  | { readonly changes: readonly FixChange[]; readonly graphs: readonly GraphEvidence[] }
  | { readonly reason: string; readonly graphs: readonly GraphEvidence[] };

export interface WayQuestion extends Omit<GraphQuestion, 'root'> {
  readonly direct: ResolvedPackage;
}

/**
 * The smallest version of a direct dependency, the locked one first, whose resolved graph has no affected version of a
 * package. The search halves the later versions: one that brings a good version is assumed to be followed by others that do.
 * The version that is found is verified itself.
 */
export async function findDirectWay(question: WayQuestion): Promise<DirectWay> {
  const { direct, project, facts, now } = question;
  const asked = { ...question, root: direct };
  const key = publicKey(direct);
  if (key === undefined) return { reason: `the index does not have ${direct.id}`, graphs: [] };
  const graphs: GraphEvidence[] = [];
  const probe = async (version: string): Promise<Probe> => {
    const probed = await probeGraph({ ...key, version }, asked);
    const { graph: _graph, ...evidence } = probed;
    graphs.push(evidence);
    return probed;
  };
  const current = await probe(key.version);
  const relocks = current.good && project.manager.relocks !== 'never' ? relocksFor(current, asked) : [];
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
  return { changes: [upgrade, ...relocksFor(verified, asked)], graphs };
}

/**
 * The packages to lock again when a direct dependency gets a given version; `undefined` when that version does not bring only
 * good versions of the affected package.
 */
export async function relocksAt(
  version: string,
  question: WayQuestion,
): Promise<readonly FixChange[] | undefined> {
  const asked = { ...question, root: question.direct };
  const key = publicKey(question.direct);
  const probed = key === undefined ? undefined : await probeGraph({ ...key, version }, asked);
  return probed?.good === true ? relocksFor(probed, asked) : undefined;
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
