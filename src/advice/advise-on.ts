import type { Fix, FixChange } from '../model/advice/fix.ts';
import { defined } from '../model/defined.ts';
import type { PublishedVersion } from '../model/ports/insights.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { type Candidates, openCandidates, waitsUntil } from './candidates.ts';
import { commandsFor } from './commands.ts';
import { findDirectWay, isBreaking, upgradeOf } from './direct-upgrade.ts';
import { createEvidence, type EvidenceOf } from './evidence.ts';
import type { AdviceFacts } from './facts.ts';
import type { GraphEvidence } from './graph-probe.ts';
import { type Holder, holdersOf, permits, publicKey } from './holders.ts';
import type { Project } from './project.ts';
import { bad, noneOf, type Refuted, type Search, unknown } from './proof.ts';
import { type Relock, relockAbove, relockOf } from './relock.ts';
import type { RequiredQuestion } from './required-graph.ts';

/** More direct dependencies than these are not upgraded to clear one package. */
const MAX_DIRECTS = 10;

/** The known facts about an affected package before a way is chosen. */
interface Question extends RequiredQuestion {
  readonly candidates: Candidates;
  readonly holders: readonly Holder[];
  /** Later versions that the project's cooldown permits. */
  readonly usable: readonly PublishedVersion[];
  /** The smallest good one of all later versions. */
  readonly nearest: PublishedVersion;
  readonly evidence: EvidenceOf;
}

/** A fix without what all fixes of the package have. */
type Way = Pick<Fix, 'kind'> &
  Partial<Pick<Fix, 'until' | 'reason' | 'version'>> & { readonly changes?: readonly FixChange[] };

/**
 * Finds out how to clear the findings of a package of a lockfile. Every version in a fix was verified with the API. Throws
 * `AdviceError` and `InsightsError`. `now`: ms since 1970.
 */
export async function adviseOn(
  affected: ResolvedPackage,
  project: Project,
  facts: AdviceFacts,
  now: number,
): Promise<Fix> {
  const key = publicKey(affected);
  const opened = key && (await openCandidates(facts, key));
  if (opened?.state !== 'good') {
    const way = refutedWay(opened ?? unknown(`the index does not have ${affected.id}`));
    return fixOf(affected, project, createEvidence(), way);
  }
  const { found: candidates } = opened;
  const nearest = await candidates.firstGood(candidates.later);
  const holders = await holdersOf(affected, project, facts);
  if (nearest.state !== 'good') {
    const held = nearest.state === 'bad' ? candidates.waiting() : undefined;
    return fixOf(affected, project, createEvidence(candidates, holders), held ?? refutedWay(nearest));
  }
  const { found } = nearest;
  const evidence = createEvidence(candidates, holders, found.version);
  const usable = candidates.later.filter(
    (one) => waitsUntil(affected.name, one, project.statement.cooldown, now) === undefined,
  );
  const question = { affected, project, facts, now, candidates, holders, usable, nearest: found, evidence };
  const way = await findWay(question);
  return fixOf(affected, project, evidence, { version: found.version, ...way }, candidates);
}

function refutedWay({ state, reason }: Refuted): Way {
  return { kind: state === 'unknown' ? 'unknown' : 'none', reason };
}

async function findWay(question: Question): Promise<Way> {
  const { affected, project, candidates, holders, usable } = question;
  const good = await candidates.firstGood(usable);
  if (good.state !== 'good') return heldByCooldown(question);
  const relock = await relockOf(holders, usable, candidates, project.manager);
  if (relock.state === 'good') return { kind: 'in-range', changes: [relocked(affected, relock.to)] };
  const pin = relock.blockers.find(({ kind }) => kind === 'pin');
  if (pin !== undefined) {
    // The pin may permit a good version that is not listed.
    if (candidates.unlisted !== undefined) return refutedWay(relock);
    return {
      kind: 'held-by-pin',
      reason: `${pin.by} forces ${affected.name} to ${pin.requirement ?? 'another version'}`,
    };
  }
  return await findUpgrade(question, relock, good.found);
}

type Blocked = Exclude<Relock, { readonly state: 'good' }>;

/** Upgrades of what the target requires itself, or else an override. */
async function findUpgrade(question: Question, blocked: Blocked, good: PublishedVersion): Promise<Way> {
  const { affected, project } = question;
  const { blockers } = blocked;
  const own: FixChange[] = [];
  if (blockers.some(({ kind }) => kind === 'target')) {
    const upgrade = await ownUpgrade(question, blockers, good);
    if (upgrade.state !== 'good') {
      // Where versions can coexist, the target gets the one that it requires, whatever is forced.
      return project.manager.nests ? refutedWay(upgrade) : override(question, good, upgrade);
    }
    own.push(upgradeOf(affected, upgrade.found, question.candidates.scheme));
  }
  const above = blockers.filter(
    (one) => !own.some(({ to }) => to !== undefined && getsUpgrade(one, to, question)),
  );
  const others = await changesOfOthers(question, above);
  if (others.state !== 'good') {
    // What requires the package in an unknown way may permit a good version, and so may the others where the list of versions is partial.
    const isOpen = question.candidates.unlisted !== undefined || !isTargetUnknown(blockers);
    const isUnknown = blocked.state === 'unknown' && isOpen;
    return override(question, good, isUnknown ? noneOf([others, blocked]) : others, own);
  }
  const again = await relockForOthers(question, blockers);
  const changes = distinctChanges([...own, ...others.found, ...again], project);
  return {
    kind: changes.some(({ how }) => how === 'upgrade') ? 'upgrade-direct' : 'in-range',
    changes,
  };
}

/** Whether what requires the package gets the version to which the target raises its own requirement. Peers permit that version. */
function getsUpgrade(holder: Holder, to: string, { project, candidates }: Question): boolean {
  if (holder.isPeer === true) return true;
  // It can be a blocker only because a re-lock could select a version that is not listed; an upgrade selects none.
  const isUnlisted = candidates.unlisted !== undefined && project.manager.upgradesDependents;
  return isUnlisted && permits(holder, to, candidates.scheme).state === 'good';
}

/** Whether the only requirement that is not known is that of the target, which an upgrade replaces. */
function isTargetUnknown(blockers: readonly Holder[]): boolean {
  return blockers.every(({ kind, requirement }) => kind === 'target' || requirement !== undefined);
}

/** Changes of packages above the affected one, or of direct dependencies, that make all blockers bring good versions. */
async function changesOfOthers(
  question: Question,
  blockers: readonly Holder[],
): Promise<Search<readonly FixChange[]>> {
  const { project, evidence } = question;
  const changes: FixChange[] = [];
  const directs = new Map<string, ResolvedPackage>();
  for (const { kind, by, isPeer } of blockers) {
    if (kind !== 'package') continue;
    // Graphs do not state what a later version requires so.
    if (isPeer === true) return unknown(`${by} requires ${question.affected.name} as a peer`);
    const graphs: GraphEvidence[] = [];
    const above = await relockAbove(by, { ...question, graphs }, new Set());
    if (above.state === 'good') {
      changes.push(...above.found);
      evidence.graphs.push(...graphs);
      continue;
    }
    const found = project.dependents.directsTo(by);
    if (found.length === 0) return unknown(`it is not known which direct dependency brings ${by}`);
    for (const direct of found) directs.set(direct.id, direct);
  }
  if (directs.size > MAX_DIRECTS) return bad(`${directs.size} direct dependencies bring it`);
  for (const direct of directs.values()) {
    const { way, graphs } = await findDirectWay({ ...question, direct });
    evidence.graphs.push(...graphs);
    if (way.state !== 'good') return way;
    changes.push(...way.found);
  }
  return { state: 'good', found: changes };
}

/** Each change once. */
function distinctChanges(changes: readonly FixChange[], { manager }: Project): readonly FixChange[] {
  const upgraded = new Set(
    changes.flatMap(({ how, name, from }) => (how === 'upgrade' ? `${name}@${from}` : [])),
  );
  const isNeeded = ({ how, name, from }: FixChange) =>
    how === 'upgrade' || !manager.upgradesDependents || !upgraded.has(`${name}@${from}`);
  const byKey = new Map(changes.map((one) => [`${one.how} ${one.name}@${one.from}`, one]));
  return [...byKey.values()].filter(isNeeded);
}

/** The re-lock of the affected version for those that permit a good one: it stays locked for them when the others get another one. */
async function relockForOthers(
  { affected, project, candidates, holders, usable }: Question,
  blockers: readonly Holder[],
): Promise<readonly FixChange[]> {
  const others = holders.filter((one) => !blockers.includes(one));
  const isOwn = blockers.every(({ kind }) => kind === 'target');
  const { nests, upgradesDependents } = project.manager;
  if (!nests || others.length === 0 || (isOwn && upgradesDependents)) return [];
  const relock = await relockOf(others, usable, candidates, project.manager);
  return relock.state === 'good' ? [relocked(affected, relock.to)] : [];
}

/** The version to which the target raises its own requirement. Peers permit it, and where versions cannot coexist, all dependents. */
async function ownUpgrade(
  { affected, holders, usable, candidates, project }: Question,
  blockers: readonly Holder[],
  good: PublishedVersion,
): Promise<Search<string>> {
  // Without a manifest, it is not known whether the target requires the package at all.
  if (affected.direct !== true && project.hasEdges) {
    const [target] = blockers.filter(({ kind }) => kind === 'target');
    if (target?.requirement === undefined)
      return unknown(`it is not known whether the project requires ${affected.name} itself`);
  }
  const others = holders.filter(
    ({ kind, isPeer }) => kind === 'package' && (isPeer || !project.manager.nests),
  );
  const common = usable.filter(({ version }) =>
    others.every((one) => permits(one, version, candidates.scheme).state === 'good'),
  );
  const found = await candidates.firstGood(common);
  if (found.state === 'good') return { state: 'good', found: found.found.version };
  if (found.state === 'unknown') return found;
  const isOpen = others.some((one) => permits(one, good.version, candidates.scheme).state === 'unknown');
  return isOpen
    ? unknown('it is not known which versions all of its dependents require')
    : bad('the requirements of its dependents permit no common good version');
}

function heldByCooldown({ affected, project, nearest, now }: Question): Way {
  const { cooldown } = project.statement;
  const until = waitsUntil(affected.name, nearest, cooldown, now) ?? now;
  const reason = `${cooldown?.where} does not permit ${affected.name} ${nearest.version}`;
  if (!Number.isFinite(until)) return { kind: 'held-by-pin', reason };
  return { kind: 'held-by-cooldown', until: new Date(until).toISOString(), reason: `${reason} yet` };
}

/**
 * A good version against the requirements of other packages: only where it is known that there is no better way, and within the line of the
 * locked version, because code that requires one line seldom works with another one. `own`: the upgrade of what the target requires itself,
 * which no override changes.
 */
function override(
  { affected, project, candidates: { scheme } }: Question,
  { version: to }: PublishedVersion,
  refuted: Refuted,
  own: readonly FixChange[] = [],
): Way {
  const { name, version: from } = affected;
  if (refuted.state === 'unknown' || project.manager.override === undefined) return refutedWay(refuted);
  if (isBreaking(affected, to, scheme)) {
    const risk = `an override to ${name} ${to}, of another major line, can break what requires ${from}`;
    return { kind: 'none', reason: `${refuted.reason}, and ${risk}` };
  }
  return { kind: 'override', reason: refuted.reason, changes: [...own, { name, from, to, how: 'override' }] };
}

function relocked({ name, version }: ResolvedPackage, to: string): FixChange {
  return { name, from: version, to, how: 're-lock' };
}

function fixOf(
  affected: ResolvedPackage,
  project: Project,
  evidence: EvidenceOf,
  { kind, version, changes = [], until, reason }: Way,
  candidates?: Candidates,
): Fix {
  const { scheme } = candidates ?? {};
  return {
    kind,
    path: project.path,
    ...defined({ version }),
    ...(version === undefined || scheme === undefined
      ? {}
      : { breaking: isBreaking(affected, version, scheme) }),
    changes: [...changes],
    commands: [...commandsFor(changes, project)],
    ...defined({ until, reason }),
    evidence: evidence.toEvidence(),
  };
}
