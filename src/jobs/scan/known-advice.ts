import { withKnownFix } from '../../advice/known-fix.ts';
import type { KnownFix } from '../../model/advice/fix.ts';
import { formatVersionKey, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { FixQuestion } from '../../model/ports/shared-state.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { inSlices } from '../../model/yielding.ts';
import type { FindingAdvice } from '../../scan/compare.ts';
import { adviceJobs, MAX_DIRECTS } from '../advise-upgrades.ts';
import type { FollowUp } from '../job.ts';
import type { Ports } from '../ports.ts';

const DAY_MS = 86_400_000;
/** Package versions of one scan for which advice is requested; the worst findings come first. */
const MAX_PACKAGES = 1_000;

/** Stands in an alert that leaves before the advice is ready. */
export const ADVICE_PENDING =
  'The fixed version is being looked up; `lockhound findings --verbose` shows it when it is known.';

/** The known fixes of a scan's findings. */
export interface KnownAdvice extends FindingAdvice {
  /** The jobs that find out what is not known. */
  readonly next: readonly FollowUp[];
}

/** The advice of a scan without fixes: no fix is known, and none is looked up. */
export const NO_ADVICE: KnownAdvice = { with: (finding) => finding, isPending: () => false, next: [] };

/** `advice`: id for the jobs. `now`: ms since 1970. `asks`: whether advice is looked up for a finding; default: for each. */
export async function knownAdvice(
  findings: readonly Finding[],
  inventory: Pick<Inventory, 'lockfiles'>,
  { mode, read, unasked }: Ports['knownFixes'],
  {
    advice,
    requestedAt,
    now,
    asks = () => true,
  }: {
    readonly advice: string;
    readonly requestedAt: string;
    readonly now: number;
    readonly asks?: ((finding: Finding) => boolean) | undefined;
  },
): Promise<KnownAdvice> {
  const affected = findings.filter(isAdvisable);
  if (mode === 'never' || affected.length === 0) return NO_ADVICE;
  const keys = await publicKeys(inventory, affected);
  const questions = questionsOf(affected, keys);
  const found = await read(questions.map(({ question }) => question.key));
  const wanted = new Set(affected.filter(asks).map((finding) => finding.package.purl));
  const known = new Map<string, KnownFix>();
  const open = questions.filter(({ purl, question }, index) => {
    const fix = found[index];
    if (fix !== undefined) known.set(purl, fix);
    return (
      fix === undefined ||
      now - fix.computedAt > DAY_MS ||
      !question.directs.every(({ name, version }) => `${name}@${version}` in fix.ways)
    );
  });
  const asked = open.filter(({ purl }) => wanted.has(purl)).slice(0, MAX_PACKAGES);
  const unknown = new Set(open.map(({ purl }) => purl));
  const pending = new Set(asked.map(({ purl }) => purl));
  return {
    with: (finding) => withAdvice(finding, known.get(finding.package.purl), pending),
    isPending: (finding) =>
      isAdvisable(finding) &&
      unknown.has(finding.package.purl) &&
      withKnownFix(finding, known.get(finding.package.purl)) === finding,
    next: adviceJobs(
      { advice, requestedAt },
      unasked(
        advice,
        asked.map(({ question }) => question),
      ),
    ),
  };
}

function isAdvisable(finding: Finding): boolean {
  return finding.advisory !== undefined && isAlert(finding);
}

function withAdvice(finding: Finding, known: KnownFix | undefined, pending: ReadonlySet<string>): Finding {
  if (!isAdvisable(finding)) return finding;
  const advised = withKnownFix(finding, known);
  if (advised !== finding) return advised;
  return pending.has(finding.package.purl) ? { ...finding, advice: ADVICE_PENDING } : finding;
}

/** The keys of affected packages by purl, and of direct dependencies by id. Names that are private have none. */
async function publicKeys(
  { lockfiles }: Pick<Inventory, 'lockfiles'>,
  affected: readonly Finding[],
): Promise<ReadonlyMap<string, VersionKey>> {
  const wanted = new Set(
    affected.flatMap(({ package: { purl }, locations }) => [purl, ...locations.flatMap(directOf)]),
  );
  const keys = new Map<string, VersionKey>();
  for await (const slice of inSlices(lockfiles.flatMap(({ packages }) => packages))) {
    for (const { id, purl, resolution } of slice) {
      if (!wanted.has(purl) && !wanted.has(id)) continue;
      const key = resolution.outcome === 'resolved' ? resolution.record?.versionKey : undefined;
      if (key === undefined) continue;
      for (const name of [purl, id]) if (wanted.has(name)) keys.set(name, key);
    }
  }
  return keys;
}

/** The direct dependency of a place, unless the package is one itself. */
function directOf({ dependencyPath }: Finding['locations'][number]): readonly string[] {
  return dependencyPath.length < 2 ? [] : dependencyPath.slice(0, 1);
}

function questionsOf(
  affected: readonly Finding[],
  keys: ReadonlyMap<string, VersionKey>,
): readonly { readonly purl: string; readonly question: FixQuestion }[] {
  const byPurl = Map.groupBy(affected, (finding) => finding.package.purl);
  return [...byPurl].flatMap(([purl, own]) => {
    const key = keys.get(purl);
    if (key === undefined) return [];
    const ids = new Set(own.flatMap(({ locations }) => locations.flatMap(directOf)));
    const directs = new Map(
      [...ids].flatMap((id) => keys.get(id) ?? []).map((one) => [formatVersionKey(one), one]),
    );
    return [{ purl, question: { key, directs: [...directs.values()].slice(0, MAX_DIRECTS) } }];
  });
}
