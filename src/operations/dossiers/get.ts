import { createHash } from 'node:crypto';
import { identityOf, packageOf } from '../../fleet/identity.ts';
import type { ViewedTarget } from '../../fleet/view/viewed-target.ts';
import type {
  Dossier,
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
import { decisionsOf } from './decisions.ts';
import { statementsOf } from './statements.ts';

/** Targets that are read at the same time. */
const PART = 32;

/** What is known of an advisory in all targets and releases, or of the advisories of one of them. */
export const getDossier: Operation<'lockhound.dossiers.get'> = async (
  { params, principal, signal },
  context,
) => {
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

/** The same for the same subject, in letters that file names may have. */
function dossierId(subject: string): string {
  const name = subject
    .toLowerCase()
    .replaceAll(/[^a-z0-9.+-]+/g, '-')
    .slice(0, 60);
  return `lockhound-${name}-${createHash('sha256').update(subject).digest('hex').slice(0, 8)}`;
}
