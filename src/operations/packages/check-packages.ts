import { waitsUntil } from '../../advice/candidates.ts';
import { createAdviceFacts } from '../../advice/facts.ts';
import type {
  CheckReason,
  PackageCheck,
  PackageChecks,
  PackageQuestion,
} from '../../model/api/lockhound-api.generated.ts';
import { defined } from '../../model/defined.ts';
import { messageOf } from '../../model/errors.ts';
import { canonicalName, systemOf } from '../../model/lockfile/ecosystem.ts';
import { ADVISORIES_ALONE } from '../../model/losses/statements.ts';
import { type GateCode, NEW_PACKAGE_DAYS } from '../../model/scan/gate.ts';
import type { Policy } from '../../model/scan/policy.ts';
import { chunks } from '../../model/yielding.ts';
import { compareReasons, decisionOf, findingReason, gateReason, isUnrated } from '../../policy/gate.ts';
import { policyFor } from '../../policy/policy-for.ts';
import { areNear, lookAlike } from '../../policy/signals/look-alike.ts';
import { suspicionOf } from '../../policy/signals/suspicion.ts';
import { Refusal } from '../refusal.ts';
import { type AskedPackage, type Chosen, choose, readAsked } from './asked-packages.ts';
import { type FleetUse, mostUsed, type UsedPackage } from './fleet-use.ts';
import { type JudgedPackage, type JudgingParts, judgePackages } from './judged-packages.ts';
import { type NewestGood, newestGood } from './newest-good.ts';

/** Packages of one question. */
export const MAX_PACKAGES = 500;
const MAX_MEANT = 5;
/** Packages of one question that are judged together, in a turn. */
const AT_A_TIME = 50;
/** Requests for the newest good versions of these. */
const MAX_REQUESTS = 300;
const DAY_MS = 86_400_000;
/** The one version that npm publishes of a name whose package it removed for security. */
const HELD_NAME = /^0\.0\.\d+-security(?:\.\d+)?$/;

/** The parts from which the question is answered. */
export interface CheckParts extends Omit<JudgingParts, 'held'> {
  /** How the targets that the caller may see use packages, in order; absent without a fleet. */
  readonly usesOf?: (packages: readonly UsedPackage[]) => Promise<readonly FleetUse[]>;
  /** Names that the caller may know and that resemble one that the index does not have. */
  readonly nearNames: (asked: AskedPackage) => Promise<readonly string[]>;
  /** Runs the work on so many packages in its turn. Default: at once. */
  readonly inTurn?: <Value>(packages: number, work: () => Promise<Value>) => Promise<Value>;
  /** Answers to the same question, by what was requested. Those are added of which nothing is unknown. */
  readonly kept?: {
    get(text: string): PackageCheck | undefined;
    set(text: string, check: PackageCheck): void;
  };
}

/** One package with what was found out. */
interface Subject {
  readonly asked: AskedPackage;
  readonly choice: Chosen;
  readonly use: FleetUse | undefined;
  readonly judged: JudgedPackage | undefined;
  readonly good: NewestGood | undefined;
  readonly policy: Policy;
  readonly now: number;
}

type Check = Omit<PackageCheck, 'requested'>;

/** May packages be added. One that cannot be read, or that nothing is known of, is a warning. Throws `Refusal`. */
export async function checkPackages(question: PackageQuestion, parts: CheckParts): Promise<PackageChecks> {
  const { packages } = question;
  if (packages.length === 0 || packages.length > MAX_PACKAGES)
    throw new Refusal(400, 'too-many-packages', `expected 1 to ${MAX_PACKAGES} packages`);
  const known = new Map(packages.map((text) => [text, parts.kept?.get(text)]));
  const open = [...known.keys()].filter((text) => known.get(text) === undefined);
  const { inTurn = (_, work) => work() } = parts;
  const checking = chunks(open, AT_A_TIME).map((some) =>
    inTurn(some.length, () => checkEach({ ...question, packages: some }, parts)),
  );
  for (const check of (await Promise.all(checking)).flat()) {
    known.set(check.requested, check);
    if (!check.reasons.some(({ code }) => code === 'unknown')) parts.kept?.set(check.requested, check);
  }
  const answers = packages.flatMap((text) => known.get(text) ?? []);
  return { packages: answers, counts: countChecks(answers) };
}

/** Packages that differ, in order. */
async function checkEach({ packages, ecosystem = 'npm' }: PackageQuestion, parts: CheckParts) {
  const { gate, signal, seesAll, target, now } = parts;
  const policy = policyFor(gate.policy, target);
  const insights = gate.insights(seesAll);
  const read = new Map(packages.map((text) => [text, readAsked(text, ecosystem)]));
  const asked = [...read.values()].filter((one) => typeof one !== 'string');
  const facts = createAdviceFacts(insights, { signal, maxRequests: MAX_REQUESTS });
  const choices = await Promise.all(asked.map((one) => choose(one, facts, signal)));
  const used = asked.map(({ ecosystem: system, name }, index) => {
    return { ecosystem: system, name, version: choices[index]?.locked?.version };
  });
  const locked = new Map(choices.flatMap(({ locked: one }) => (one === undefined ? [] : [[one.purl, one]])));
  const using = Promise.resolve(parts.usesOf?.(used));
  const held = using.then((uses = []) => {
    const isHeld = ({ locked: one }: Chosen, index: number) =>
      one !== undefined && uses[index]?.targets.has(one.version) === true;
    return new Set(choices.filter(isHeld).map((one) => one.locked?.purl));
  });
  const [uses, all] = await Promise.all([using, judgePackages([...locked.values()], { ...parts, held })]);
  const judged = new Map(all.map((one) => [one.locked.purl, one]));
  facts.learn(all.map((one) => one.locked.resolution));
  const found = asked.map((one, index) => {
    const choice = choices[index] ?? {};
    return { asked: one, choice, use: uses?.[index], judged: judged.get(choice.locked?.purl ?? '') };
  });
  const goods = await newestGood(found.map(nameOf), { facts, cooldown: cooldownOf(policy), now });
  const checking = found.map(async (one, index) => {
    return [one.asked, await checkOf({ ...one, good: goods[index], policy, now }, parts)] as const;
  });
  const checks = new Map(await Promise.all(checking));
  return Array.from(read, ([requested, one]): PackageCheck => {
    return { requested, ...(typeof one === 'string' ? unread(one, policy) : (checks.get(one) as Check)) };
  });
}

/** The numbers of packages by decision. */
export function countChecks(checks: readonly Pick<PackageCheck, 'decision'>[]): PackageChecks['counts'] {
  const count = (decision: string) => checks.filter((one) => one.decision === decision).length;
  return { allow: count('allow'), warn: count('warn'), block: count('block') };
}

async function checkOf(subject: Subject, parts: CheckParts): Promise<Check> {
  const { asked, use, judged, good, policy } = subject;
  const { ecosystem, name } = asked;
  const { version = '', purl, resolution } = judged?.locked ?? {};
  const { publishedAt, licenses } = resolution?.record ?? {};
  const { firstSeen } = use ?? {};
  const { meant, failed } = await meantNames(subject, parts);
  const reasons = reasonsOf(subject, meant, [...failed, ...unknownOf(subject)]);
  const suspicion = judged?.inspection && suspicionOf(judged.inspection, { target: '', groups: [] }, policy);
  const newest = typeof good === 'object' ? good.found : undefined;
  return {
    ...{ decision: decisionOf(reasons), reasons, ecosystem, name },
    ...(version === '' ? {} : defined({ version, purl })),
    ...defined({ publishedAt, licenses: isSilent(subject) ? undefined : licenses }),
    signals: suspicion?.reasons ?? [],
    advisories: judged?.findings.flatMap(({ advisory }) => advisory ?? []) ?? [],
    meant,
    ...defined({
      newestGood: newest && { version: newest.version, ...defined({ publishedAt: newest.publishedAt }) },
      mostUsed: use && mostUsed(ecosystem, use),
      firstSeenAt: firstSeen && firstSeen !== 'unknown' ? new Date(firstSeen).toISOString() : undefined,
    }),
  };
}

function unread(reason: string, policy: Policy): Check {
  const reasons = [gateReason('unknown', reason, policy)];
  return { decision: decisionOf(reasons), reasons, signals: [], advisories: [], meant: [] };
}

/** Whether imported advisories alone name the version: the index says nothing of it. */
function isSilent({ judged }: Pick<Subject, 'judged'>): boolean {
  const { advisoriesOnly, serviceLacks } = judged?.locked.resolution.record ?? {};
  return advisoriesOnly === true || serviceLacks === true;
}

/** The parts of an answer that could not be found out, each in a few words. */
function unknownOf(subject: Subject): readonly string[] {
  const { asked, judged, good, use, policy } = subject;
  const { outcome, record } = judged?.locked.resolution ?? {};
  const unknown = (judged?.unknown ?? []).filter((reason) => reason !== ADVISORIES_ALONE);
  if (isSilent(subject))
    unknown.push(
      'its existence, date, licences and signs of a compromise: imported advisories alone name it',
    );
  // Whether it is young.
  else if (record !== undefined && record.publishedAt === undefined && policy.minimumAge > 0)
    unknown.push('when it was published');
  const unrated = judged?.findings.filter((one) => isUnrated(one)) ?? [];
  if (unrated.length > 0)
    unknown.push(`the severity of ${unrated.map(({ advisory }) => advisory?.id).join(', ')}`);
  const unlisted = good === 'unlisted' && outcome === 'resolved' ? 'the index lists no versions' : undefined;
  const newest = typeof good === 'object' ? good.unknown : unlisted;
  if (newest !== undefined) unknown.push(`the newest good version of ${asked.name}: ${newest}`);
  if (use?.isIncomplete === true) unknown.push('how many targets hold it: a stored lockfile cannot be read');
  if (use?.firstSeen === 'unknown') unknown.push('when the fleet saw it first');
  return unknown;
}

function reasonsOf(
  { asked, choice, judged, good, use, policy, now }: Subject,
  meant: readonly string[],
  unknown: readonly string[],
): CheckReason[] {
  const found = judged?.findings.map((one) => findingReason(one, policy)) ?? [];
  const add = (code: GateCode, text: string) => {
    if (!found.some((one) => one.code === code)) found.push(gateReason(code, text, policy));
  };
  for (const reason of unknown) found.push(gateReason('unknown', reason, policy));
  if (choice.code === 'unknown') found.push(gateReason('unknown', choice.text ?? '', policy));
  else if (choice.code !== undefined) add(choice.code, choice.text ?? '');
  const { name = '', version = '', resolution } = judged?.locked ?? {};
  if (asked.ecosystem === 'npm' && HELD_NAME.test(version))
    add('missing', `npm removed the package for security, and ${version} holds its name`);
  // Where its rule is off.
  if (resolution?.outcome === 'missing' && !found.some(({ code }) => code === 'vanished'))
    add('missing', 'the index does not have it');
  if (meant.length > 0) add('look-alike', `${asked.name} has a name like ${meant.join(', ')}`);
  const { publishedAt } = resolution?.record ?? {};
  const until = waitsUntil(name, defined({ version, publishedAt }), cooldownOf(policy), now);
  if (until !== undefined)
    add('young', `was published at ${publishedAt}, and is young until ${new Date(until).toISOString()}`);
  const { firstAt = 0 } = typeof good === 'object' ? good : {};
  if (firstAt > now - NEW_PACKAGE_DAYS * DAY_MS && (use?.targets.size ?? 0) === 0) {
    const since = new Date(firstAt).toISOString().slice(0, 10);
    add('new-package', `its first version was published at ${since}, and no target is known to hold it`);
  }
  return found.sort(compareReasons);
}

function cooldownOf({ minimumAge }: Policy) {
  return { minutes: minimumAge / 60_000, where: 'policy.minimumAge', except: [] };
}

/** The name of a package that the index may be asked about, as it spells it; `undefined` for another one. */
function nameOf({ asked, choice, judged }: Pick<Subject, 'asked' | 'choice' | 'judged'>) {
  const { ecosystem, name } = asked;
  const system = systemOf(ecosystem);
  const { outcome } = judged?.locked.resolution ?? {};
  const isAsked = outcome === 'resolved' || outcome === 'missing' || choice.code === 'missing';
  return system === undefined || !isAsked ? undefined : { system, name: canonicalName(name, system) };
}

/** Names that are more likely meant than one that the index does not have, or that looks like another one. `failed`: what is not known of them. */
async function meantNames(
  subject: Subject,
  { gate, seesAll, signal, nearNames }: CheckParts,
): Promise<{ readonly meant: readonly string[]; readonly failed: readonly string[] }> {
  const { asked, judged, good } = subject;
  const name = nameOf(subject);
  const isLike = judged?.inspection?.signals.some((one) => one.signal === lookAlike.name) === true;
  const isMissing = good === 'unlisted' && judged?.locked.resolution.record === undefined;
  if (name === undefined || !(isLike || isMissing)) return { meant: [], failed: [] };
  const found = await Promise.allSettled([
    gate.insights(seesAll).releases.similar(name, signal),
    nearNames(asked),
  ]);
  const names = found.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []));
  const failed = found.flatMap((one) =>
    one.status === 'fulfilled' ? [] : `names that are meant more likely: ${messageOf(one.reason)}`,
  );
  // A signal has compared how much both are used.
  const near = names.filter((one) => one !== asked.name && (isLike || areNear(asked.name, one)));
  return { meant: [...new Set(near)].slice(0, MAX_MEANT), failed };
}
