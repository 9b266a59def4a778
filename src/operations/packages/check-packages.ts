import { openCandidates, waitsUntil } from '../../advice/candidates.ts';
import { type AdviceFacts, createAdviceFacts } from '../../advice/facts.ts';
import type {
  CheckReason,
  PackageCheck,
  PackageChecks,
  PackageQuestion,
} from '../../model/api/lockhound-api.generated.ts';
import { defined } from '../../model/defined.ts';
import { canonicalName, systemOf, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { PublishedVersion } from '../../model/ports/insights.ts';
import type { GateCode } from '../../model/scan/gate.ts';
import type { Policy } from '../../model/scan/policy.ts';
import { compareReasons, decisionOf, findingReason, gateReason } from '../../policy/gate.ts';
import { policyFor } from '../../policy/policy-for.ts';
import { areNear, lookAlike } from '../../policy/signals/look-alike.ts';
import { suspicionOf } from '../../policy/signals/suspicion.ts';
import { Refusal } from '../refusal.ts';
import { type AskedPackage, type Chosen, choose, readAsked } from './asked-packages.ts';
import { type FleetUse, mostUsed } from './fleet-use.ts';
import { type JudgedPackage, type JudgingParts, judgePackages } from './judged-packages.ts';

/** Packages of one question. */
const MAX_PACKAGES = 500;
const MAX_MEANT = 5;
/** Versions that are looked at for a good one, and requests for all packages. */
const MAX_CANDIDATES = 61;
const MAX_REQUESTS = 3_000;

/** What the question is answered from. */
export interface CheckParts extends Omit<JudgingParts, 'isHeld'> {
  /** How the targets that the caller may see use packages. */
  readonly usesOf: (names: readonly AskedPackage[]) => Promise<ReadonlyMap<AskedPackage, FleetUse>>;
  /** Names that the caller may know and that resemble one that the index does not have. */
  readonly nearNames: (asked: AskedPackage) => Promise<readonly string[]>;
}

/** One package with what was found out. */
interface Subject {
  readonly asked: AskedPackage;
  readonly choice: Chosen;
  readonly use: FleetUse | undefined;
  readonly judged: JudgedPackage | undefined;
  readonly policy: Policy;
  readonly now: number;
}

type Check = Omit<PackageCheck, 'requested'>;

/** May packages be added. One that cannot be read, or that nothing is known of, is a warning. Throws `Refusal`. */
export async function checkPackages(
  { packages, ecosystem = 'npm' }: PackageQuestion,
  parts: CheckParts,
): Promise<PackageChecks> {
  if (packages.length === 0 || packages.length > MAX_PACKAGES)
    throw new Refusal(400, 'too-many-packages', `expected 1 to ${MAX_PACKAGES} packages`);
  const { gate, signal, seesAll, target, now } = parts;
  const policy = policyFor(gate.policy, target);
  const insights = gate.insights(seesAll);
  const read = new Map([...new Set(packages)].map((text) => [text, readAsked(text, ecosystem)]));
  const asked = [...read.values()].filter((one) => typeof one !== 'string');
  const [uses, choices] = await Promise.all([
    parts.usesOf(asked),
    Promise.all(asked.map((one) => choose(one, insights, signal))),
  ]);
  const locked = new Map(choices.flatMap(({ locked: one }) => (one === undefined ? [] : [[one.purl, one]])));
  const useOf = new Map(
    choices.map((one, index) => [one.locked?.purl, uses.get(asked[index] as AskedPackage)]),
  );
  const isHeld = ({ purl, version }: Pick<LockedPackage, 'purl' | 'version'>) =>
    useOf.get(purl)?.targets.has(version) === true;
  const all = await judgePackages([...locked.values()], { ...parts, isHeld });
  const judged = new Map(all.map((one) => [one.locked.purl, one]));
  const facts = createAdviceFacts(insights, { signal, maxRequests: MAX_REQUESTS });
  const checking = asked.map(async (one, index) => {
    const choice = choices[index] ?? {};
    const found = judged.get(choice.locked?.purl ?? '');
    const subject = { asked: one, choice, use: uses.get(one), judged: found, policy, now };
    return [one, await checkOf(subject, facts, parts)] as const;
  });
  const checks = new Map(await Promise.all(checking));
  const answers = packages.map((requested): PackageCheck => {
    const one = read.get(requested) ?? '';
    return { requested, ...(typeof one === 'string' ? unread(one, policy) : (checks.get(one) as Check)) };
  });
  const count = (decision: string) => answers.filter((one) => one.decision === decision).length;
  return {
    packages: answers,
    counts: { allow: count('allow'), warn: count('warn'), block: count('block') },
  };
}

async function checkOf(subject: Subject, facts: AdviceFacts, parts: CheckParts): Promise<Check> {
  const { asked, use, judged, policy } = subject;
  const { ecosystem, name } = asked;
  const { version = '', purl, resolution } = judged?.locked ?? {};
  const { publishedAt, licenses, advisoriesOnly } = resolution?.record ?? {};
  const [good, meant] = await Promise.all([newestGood(subject, facts), meantNames(subject, facts, parts)]);
  const reasons = reasonsOf(subject, meant);
  const seenAt = use?.firstSeen.get(version);
  const suspicion = judged?.inspection && suspicionOf(judged.inspection, { target: '', groups: [] }, policy);
  return {
    ...{ decision: decisionOf(reasons), reasons, ecosystem, name },
    ...(version === '' ? {} : defined({ version, purl })),
    ...defined({ publishedAt, licenses: advisoriesOnly === true ? undefined : licenses }),
    signals: suspicion?.reasons ?? [],
    advisories: judged?.findings.flatMap(({ advisory }) => advisory ?? []) ?? [],
    meant,
    ...defined({
      newestGood: good && { version: good.version, ...defined({ publishedAt: good.publishedAt }) },
      mostUsed: use && mostUsed(ecosystem, use),
      firstSeenAt: seenAt === undefined ? undefined : new Date(seenAt).toISOString(),
    }),
  };
}

function unread(reason: string, policy: Policy): Check {
  const reasons = [gateReason('unknown', reason, policy)];
  return { decision: decisionOf(reasons), reasons, signals: [], advisories: [], meant: [] };
}

function reasonsOf({ asked, choice, judged, policy, now }: Subject, meant: readonly string[]): CheckReason[] {
  const found = judged?.findings.map((one) => findingReason(one, policy)) ?? [];
  const add = (code: GateCode, text: string) => {
    if (!found.some((one) => one.code === code)) found.push(gateReason(code, text, policy));
  };
  for (const reason of judged?.unknown ?? []) found.push(gateReason('unknown', reason, policy));
  if (choice.code !== undefined) add(choice.code, choice.text ?? '');
  const { name = '', resolution } = judged?.locked ?? {};
  // Where its rule is off.
  if (resolution?.outcome === 'missing' && !found.some(({ code }) => code === 'vanished'))
    add('missing', 'the index does not have it');
  if (meant.length > 0) add('look-alike', `${asked.name} has a name like ${meant.join(', ')}`);
  const { publishedAt } = resolution?.record ?? {};
  const until = waitsUntil(name, defined({ publishedAt }), cooldownOf(policy), now);
  if (until !== undefined)
    add('young', `was published at ${publishedAt}, and is young until ${new Date(until).toISOString()}`);
  return found.sort(compareReasons);
}

function cooldownOf({ minimumAge }: Policy) {
  return { minutes: minimumAge / 60_000, where: 'policy.minimumAge', except: [] };
}

/** The key of a package that the index may be asked about, with a version that is earlier than all; `undefined` for one that it may not. */
function keyOf({ asked: { ecosystem, name }, choice, judged }: Subject): VersionKey | undefined {
  const system = systemOf(ecosystem);
  const { outcome } = judged?.locked.resolution ?? {};
  const isAsked = outcome === 'resolved' || outcome === 'missing' || choice.code === 'missing';
  if (system === undefined || !isAsked) return undefined;
  return { system, name: canonicalName(name, system), version: '0.0.0' };
}

/** The newest version past the cooldown that is good. What cannot be found out is left out: the decision does not need it. */
async function newestGood(subject: Subject, facts: AdviceFacts): Promise<PublishedVersion | undefined> {
  const key = keyOf(subject);
  const opened = key && (await openCandidates(facts, key).catch(() => undefined));
  if (opened?.state !== 'good') return undefined;
  const { later, firstGood } = opened.found;
  const cooldown = cooldownOf(subject.policy);
  const usable = later.filter((one) => waitsUntil(one.version, one, cooldown, subject.now) === undefined);
  // Most often the newest one is good.
  for (const part of [usable.slice(-1), usable.slice(-MAX_CANDIDATES, -1).reverse()]) {
    const good = part.length === 0 ? undefined : await firstGood(part).catch(() => undefined);
    if (good?.state === 'good') return good.found;
  }
  return undefined;
}

/** Names that are more likely meant than one that the index does not have, or that looks like another one. */
async function meantNames(
  subject: Subject,
  facts: AdviceFacts,
  { gate, seesAll, signal, nearNames }: CheckParts,
): Promise<string[]> {
  const { asked, judged } = subject;
  const key = keyOf(subject);
  const isLike = judged?.inspection?.signals.some((one) => one.signal === lookAlike.name) === true;
  if (key === undefined || (!isLike && judged?.locked.resolution.record !== undefined)) return [];
  const known = isLike || (await facts.versions(key).catch(() => 'unknown')) === undefined;
  if (!known) return [];
  const found = await Promise.allSettled([
    gate.insights(seesAll).releases.similar(key, signal),
    nearNames(asked),
  ]);
  const names = found.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []));
  // A signal has compared how much both are used.
  const near = names.filter((one) => one !== asked.name && (isLike || areNear(asked.name, one)));
  return [...new Set(near)].slice(0, MAX_MEANT);
}
