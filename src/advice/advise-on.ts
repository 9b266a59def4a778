import type { Fix, FixChange } from '../model/advice/fix.ts';
import type { PublishedVersion } from '../model/ports/insights.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { type Candidates, noneOf, openCandidates } from './candidates.ts';
import { commandsFor } from './commands.ts';
import { waitsUntil } from './cooldown.ts';
import { findDirectWay } from './direct-upgrade.ts';
import { createEvidence, type EvidenceOf } from './evidence.ts';
import type { AdviceFacts } from './facts.ts';
import type { GraphEvidence } from './graph-probe.ts';
import { type Holder, holdersOf, permits, publicKey } from './holders.ts';
import type { Project } from './project.ts';
import { relockOf } from './relock.ts';
import { relockAbove } from './relock-above.ts';

/** More direct dependencies than these are not upgraded to clear one package. */
const MAX_DIRECTS = 10;

/** What is known of an affected package before a way is chosen. */
interface Question {
  readonly affected: ResolvedPackage;
  readonly project: Project;
  readonly facts: AdviceFacts;
  readonly now: number;
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
  const candidates = key === undefined ? undefined : await openCandidates(facts, key);
  if (candidates === undefined) {
    return fixOf(affected, project, createEvidence(), {
      kind: 'none',
      reason: 'the index has no list of its versions',
    });
  }
  const nearest = await candidates.firstGood(candidates.later);
  const holders = await holdersOf(affected, project, facts);
  const evidence = createEvidence(candidates, holders, nearest?.version);
  if (nearest === undefined) {
    const reason = noneOf(candidates.later.length);
    return fixOf(affected, project, evidence, { kind: 'none', reason });
  }
  const usable = candidates.later.filter(
    (one) => waitsUntil(affected.name, one, project.statement.cooldown, now) === undefined,
  );
  const question = { affected, project, facts, now, candidates, holders, usable, nearest, evidence };
  const way = await findWay(question);
  return fixOf(affected, project, evidence, { version: nearest.version, ...way }, candidates);
}

async function findWay(question: Question): Promise<Way> {
  const { affected, project, candidates, holders, usable } = question;
  const usableGood = await candidates.firstGood(usable);
  if (usableGood === undefined) return heldByCooldown(question);
  const relock = await relockOf(holders, usable, candidates, project.manager);
  if (relock.to !== undefined) {
    return { kind: 'in-range', changes: [relocked(affected, relock.to)] };
  }
  const pin = relock.blockers.find(({ kind }) => kind === 'pin');
  if (pin !== undefined) {
    return {
      kind: 'held-by-pin',
      reason: `${pin.by} forces ${affected.name} to ${pin.requirement ?? 'another version'}`,
    };
  }
  return await findUpgrade(question, relock.blockers, usableGood);
}

/** Upgrades of what the target requires itself. */
async function findUpgrade(
  question: Question,
  blockers: readonly Holder[],
  good: PublishedVersion,
): Promise<Way> {
  const { affected, project, evidence } = question;
  const ownBlockers = blockers.filter(({ kind }) => kind === 'target');
  const own: FixChange[] = [];
  if (ownBlockers.length > 0) {
    const to = await ownUpgrade(question, good);
    if (to === undefined)
      return override(question, good, 'the requirements of its dependents permit no common good version');
    own.push({ name: affected.name, from: affected.version, to, how: 'upgrade' });
  }
  const changes = [...own];
  const directs = new Map<string, ResolvedPackage>();
  for (const { kind, by } of blockers) {
    if (kind !== 'package') continue;
    const graphs: GraphEvidence[] = [];
    const above = await relockAbove(by, { ...question, graphs }, new Set());
    if (above !== undefined) {
      changes.push(...above);
      evidence.graphs.push(...graphs);
      continue;
    }
    const found = project.dependents.directsTo(by);
    if (found.length === 0)
      return override(question, good, 'the direct dependency that brings it is not known', own);
    for (const direct of found) directs.set(direct.id, direct);
  }
  if (directs.size > MAX_DIRECTS)
    return override(question, good, `${directs.size} direct dependencies bring it`, own);
  for (const direct of directs.values()) {
    const way = await findDirectWay({ ...question, direct });
    evidence.graphs.push(...way.graphs);
    if ('reason' in way) return override(question, good, way.reason, own);
    changes.push(...way.changes);
  }
  changes.push(...(await relockForOthers(question, blockers)));
  const distinct = distinctChanges(changes, project);
  return {
    kind: distinct.some(({ how }) => how === 'upgrade') ? 'upgrade-direct' : 'in-range',
    changes: distinct,
  };
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

/**
 * The re-lock of the affected version for those that permit a good one: it stays locked for them when the others get another one.
 */
async function relockForOthers(
  { affected, project, candidates, holders, usable }: Question,
  blockers: readonly Holder[],
): Promise<readonly FixChange[]> {
  const others = holders.filter((one) => !blockers.includes(one));
  const isOwn = blockers.every(({ kind }) => kind === 'target');
  const { nests, upgradesDependents } = project.manager;
  if (!nests || others.length === 0 || (isOwn && upgradesDependents)) return [];
  const { to } = await relockOf(others, usable, candidates, project.manager);
  return to === undefined ? [] : [relocked(affected, to)];
}

/** The version to which the target raises its own requirement. Where versions cannot coexist, all dependents permit it. */
async function ownUpgrade(
  { holders, usable, candidates, project }: Question,
  good: PublishedVersion,
): Promise<string | undefined> {
  if (project.manager.nests) return good.version;
  const others = holders.filter(({ kind }) => kind === 'package');
  const common = usable.filter(({ version }) =>
    others.every((one) => permits(one, version, candidates.scheme)),
  );
  return (await candidates.firstGood(common))?.version;
}

function heldByCooldown({ affected, project, nearest, now }: Question): Way {
  const { cooldown } = project.statement;
  const until = waitsUntil(affected.name, nearest, cooldown, now) ?? now;
  return {
    kind: 'held-by-cooldown',
    until: new Date(until).toISOString(),
    reason: `${cooldown?.where} does not permit ${affected.name} ${nearest.version} yet`,
  };
}

/** `own`: the upgrade of what the target requires itself, which no override changes. */
function override(
  { affected, project }: Question,
  good: PublishedVersion,
  reason: string,
  own: readonly FixChange[] = [],
): Way {
  if (project.manager.override === undefined) return { kind: 'none', reason };
  const forced: FixChange = {
    name: affected.name,
    from: affected.version,
    to: good.version,
    how: 'override',
  };
  return { kind: 'override', reason, changes: [...own, forced] };
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
    ...(version === undefined ? {} : { version }),
    ...(version === undefined || scheme === undefined
      ? {}
      : {
          breaking:
            scheme.line(version) !== scheme.line(affected.resolution.record?.versionKey.version ?? ''),
        }),
    changes: [...changes],
    commands: [...commandsFor(changes, project)],
    ...(until === undefined ? {} : { until }),
    ...(reason === undefined ? {} : { reason }),
    evidence: evidence.toEvidence(),
  };
}
