import { createHash } from 'node:crypto';
import { identityOf, packageOf } from '../../fleet/identity.ts';
import type { ViewedTarget } from '../../fleet/view/viewed-target.ts';
import type {
  Dossier,
  DossierDecision,
  DossierStatement,
  DossierVulnerability,
} from '../../model/api/lockhound-api.generated.ts';
import { defined } from '../../model/defined.ts';
import { releaseIn } from '../../model/fleet/release.ts';
import type { Advisory } from '../../model/scan/inventory.ts';
import { chunks } from '../../model/yielding.ts';
import { compareText } from '../../policy/finding-order.ts';
import { type OperationContext, unknownTarget, unreadableOf } from '../context.ts';
import { type ExposedTargets, exposedTargets } from '../findings/exposure.ts';
import type { Operation } from '../operation.ts';
import { type HolderTest, holderOf, lockfilesHolding } from '../packages/holders.ts';
import { labelTest } from '../parameters.ts';
import { statementsOf } from './statements.ts';

/** Targets that are read at the same time. */
const PART = 32;

/** Gets the known facts about an advisory in all targets and releases, or about the advisories of one of them. */
export const get: Operation<'lockhound.dossiers.get'> = async ({ params, principal, signal }, context) => {
  const { subject, stage = 'early', label, limit = Number.POSITIVE_INFINITY } = params;
  const hasLabels = labelTest(label);
  const fits: HolderTest = (one) => principal.sees(one.target) && hasLabels?.(one) !== false;
  const { targets } = await context.snapshot({});
  const viewed = principal.sees(subject) ? targets.get(subject) : undefined;
  const isTarget = viewed !== undefined;
  if (!isTarget && releaseIn(subject) !== undefined) throw await unknownTarget(context, principal, subject);
  const exposed = isTarget
    ? await advisoriesOf(context, viewed)
    : await exposedTargets(context, subject, fits);
  const known = new Map<string, DossierVulnerability>();
  const statements: DossierStatement[] = [];
  for (const part of chunks(exposed.holders, PART)) {
    signal.throwIfAborted();
    const found = await statementsOf(context, part, {
      subject,
      names: isTarget ? undefined : exposed.names,
      known,
    });
    statements.push(...found);
  }
  const byStatus = Map.groupBy(statements, ({ status }) => status);
  const { publisher } = context.loaded.config.dossier;
  const vulnerabilities = isTarget ? [...known.values()] : [await oneOf(context, subject, exposed, known)];
  const dossier = {
    id: dossierId(subject),
    subject,
    about: isTarget ? ('target' as const) : ('advisory' as const),
    stage,
    createdAt: new Date().toISOString(),
    ...(publisher === undefined ? {} : { publisher: defined(publisher) }),
    vulnerabilities: vulnerabilities.toSorted((left, right) => compareText(left.id, right.id)),
    count: statements.length,
    counts: Object.fromEntries(Array.from(byStatus, ([status, own]) => [status, own.length])),
    statements,
    notKnown: exposed.notKnown,
  } satisfies Omit<Dossier, 'decisions'>;
  const decisions = decisionsOf(dossier);
  return {
    ...dossier,
    statements: statements.slice(0, limit),
    decisions,
    ...unreadableOf(context, principal),
  };
};

/** The packages of one target that a finding with an advisory is about. */
async function advisoriesOf(context: OperationContext, viewed: ViewedTarget): Promise<ExposedTargets> {
  const { target } = viewed;
  const store = context.fleet.of(target);
  const state = await store.targets.read(target);
  const found = (state?.findings ?? []).flatMap(({ finding }) =>
    finding.advisory === undefined ? [] : [finding],
  );
  const ids = await store.packageIds.find([...new Set(found.map((one) => identityOf(one.package)))]);
  const byId = new Map([...ids].map(([identity, id]) => [id, packageOf(identity)]));
  const selected = { store, byId };
  const lockfiles = await lockfilesHolding(context.fleet, state?.lockfiles ?? [], selected);
  const holders = found.length === 0 ? [] : [{ ...holderOf(viewed), lockfiles, selected }];
  return { names: new Set(), records: new Map(), holders, notKnown: 0 };
}

/** The vulnerability that was asked for: as the findings have it, or else as the stored advisories do. */
async function oneOf(
  { exploits }: OperationContext,
  subject: string,
  { records }: ExposedTargets,
  known: ReadonlyMap<string, DossierVulnerability>,
): Promise<DossierVulnerability> {
  const [found] = known.values();
  if (found !== undefined) return { ...found, id: subject, aliases: aliasesOf(subject, found) };
  const record = [...records.values()].find((one): one is Advisory => one !== undefined);
  const { title, url, aliases = [] } = record ?? {};
  const names = [...records.keys(), ...aliases];
  const data = await exploits();
  const entry = names.map((name) => data.kev(name)).find((one) => one !== undefined);
  return {
    id: subject,
    aliases: [...new Set(names)].filter((name) => name !== subject),
    ...defined({ title, url }),
    ...(data.heads.kev === undefined ? {} : { exploited: entry !== undefined }),
    ...defined({ exploitedSince: entry?.added }),
  };
}

function aliasesOf(subject: string, { id, aliases }: DossierVulnerability): string[] {
  return [...new Set([id, ...aliases])].filter((name) => name !== subject);
}

/** The id of a dossier, which follows from its subject, in letters that file names may have. */
function dossierId(subject: string): string {
  const name = subject
    .toLowerCase()
    .replaceAll(/[^a-z0-9.+-]+/g, '-')
    .slice(0, 60);
  return `lockhound-${name}-${createHash('sha256').update(subject).digest('hex').slice(0, 8)}`;
}

type Known = Omit<Dossier, 'decisions'>;

const AWARE = 'When did you become aware of it? The time limits of 24 and 72 hours begin then.';
const EXPLOITED = 'Is it actively exploited in your products, or is there a severe incident?';
const UPDATE = 'Which security update or other corrective measure is available, and since when?';

/** The questions of each report, by field (Regulation (EU) 2024/2847, Article 14). Later ones ask all before them. */
const QUESTIONS: Readonly<Record<Dossier['stage'], Readonly<Record<string, string>>>> = {
  early: {
    awareSince: AWARE,
    exploitedInProducts: EXPLOITED,
    markets: 'In which member states are the affected products available?',
    receiver: 'Which CSIRT is the coordinator, and who reports to it?',
  },
  notification: {
    exploitNature: 'What is the general nature of the exploit and of the vulnerability?',
    measuresTaken: 'Which corrective or mitigating measures have been taken?',
    measuresForUsers: 'Which measures can users take?',
    sensitivity: 'How sensitive is what this report says?',
  },
  final: {
    impact: 'How severe is it, and what is its impact in each product?',
    actor: 'What is known of malicious actors that exploit it?',
    update: UPDATE,
  },
};

/** The known value of a field. */
const KNOWN: Readonly<Record<string, (dossier: Known) => string | undefined>> = {
  awareSince: firstTold,
  exploitedInProducts: exploitation,
  update: upgrades,
};

/** The decisions of a person before a report is sent: the questions of its stage and of those before it, and what has no value yet. */
function decisionsOf(dossier: Known): DossierDecision[] {
  const { stage, publisher, counts, notKnown } = dossier;
  const stages = Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[];
  const asked = stages.slice(0, stages.indexOf(stage) + 1).flatMap((one) => Object.entries(QUESTIONS[one]));
  const open = counts['under_investigation'] ?? 0;
  const missing: readonly (readonly [isMissing: boolean, field: string, question: string])[] = [
    [
      publisher === undefined,
      'publisher',
      'Who is the manufacturer? Set `dossier.publisher`, or fill it in.',
    ],
    [open > 0, 'underInvestigation', `What is the status of the ${open} statements under investigation?`],
    [notKnown > 0, 'notKnown', `What did the ${notKnown} targets without a ledger hold before?`],
  ];
  const all = [...asked, ...missing.flatMap(([isMissing, ...one]) => (isMissing ? [one] : []))];
  return all.map(([field, question]) => {
    const known = KNOWN[field]?.(dossier);
    return { field, question, ...(known === undefined ? {} : { known }) };
  });
}

function firstTold({ statements }: Known): string | undefined {
  const [first] = statements.flatMap(({ told }) => told.map(({ at }) => at)).sort();
  return first === undefined ? undefined : `a receiver accepted the first alert at ${first}`;
}

function exploitation({ vulnerabilities }: Known): string | undefined {
  const listed = vulnerabilities.filter(({ exploited }) => exploited === true).map(({ id }) => id);
  if (listed.length > 0) return `in the catalogue of known exploited vulnerabilities: ${listed.join(', ')}`;
  if (vulnerabilities.length === 0 || vulnerabilities.some((one) => one.exploited === undefined))
    return undefined;
  return 'the catalogue of known exploited vulnerabilities does not have it, which proves nothing';
}

/** Upgrades that a part names. */
const SHOWN_UPGRADES = 10;

function upgrades({ statements }: Known): string | undefined {
  return knownUpgrades(statements.flatMap(({ remedy }) => remedy ?? []));
}

/** The upgrades in words, such as `lodash 4.17.21`, and how many are left out. `undefined`: none is known. */
export function knownUpgrades(remedies: readonly string[]): string | undefined {
  const all = [...new Set(remedies)].sort();
  const rest = all.length - SHOWN_UPGRADES;
  const named = [...all.slice(0, SHOWN_UPGRADES), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return all.length === 0 ? undefined : `known upgrades: ${named.join('; ')}`;
}
