import pLimit from 'p-limit';
import type { Fix } from '../model/advice/fix.ts';
import type { FixPlan, Unadvised } from '../model/advice/fix-plan.ts';
import type { ProjectStatement } from '../model/advice/project-statement.ts';
import { CodedError, messageOf } from '../model/errors.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../model/scan/inventory.ts';
import { isAdvisable } from '../model/scan/is-alert.ts';
import { adviseOn } from './advise-on.ts';
import type { AdviceFacts } from './facts.ts';
import { publicKey } from './holders.ts';
import { type AdvisedPackage, planFixes } from './plan.ts';
import { openProject } from './project.ts';
import { sentenceOf } from './sentence.ts';

/** Packages that are advised on at the same time. */
const CONCURRENCY = 8;

export interface AdviceRequest {
  readonly findings: readonly Finding[];
  readonly lockfiles: readonly Pick<ResolvedLockfile, 'path' | 'format' | 'packages'>[];
  /** The statement of a lockfile and the files beside it. Called for lockfiles with findings. */
  statementOf(path: string, format: string): Promise<ProjectStatement>;
  readonly facts: AdviceFacts;
  /** ms since 1970. */
  readonly now: number;
}

export interface Advised {
  /** The given ones in their order, with fixes and a sentence of advice where they were computed. */
  readonly findings: readonly Finding[];
  /** The plans, one for each lockfile with findings that can be advised on. */
  readonly plans: readonly FixPlan[];
  readonly unadvised: readonly Unadvised[];
}

/** Advice on all findings that an advisory is behind. Rejects only when aborted or at a fault of this program. */
export async function adviseFindings(request: AdviceRequest): Promise<Advised> {
  const limit = pLimit(CONCURRENCY);
  const fixes = new Map<string, Fix[]>();
  const plans: FixPlan[] = [];
  const unadvised: Unadvised[] = [];
  for (const lockfile of request.lockfiles) {
    const counts = affectedIn(lockfile, request.findings);
    if (counts.size === 0) continue;
    const { path, format } = lockfile;
    const project = openProject({ ...lockfile, statement: await request.statementOf(path, format) });
    const failedBefore = request.facts.failures().length;
    const advise = async (
      affected: ResolvedPackage,
      findings: number,
    ): Promise<AdvisedPackage | undefined> => {
      const own = project.dependents.find(affected.id) ?? affected;
      const fix = await orReason(() => adviseOn(own, project, request.facts, request.now));
      if (typeof fix !== 'string') return { affected: own, findings, fix };
      unadvised.push({ path, id: affected.id, reason: fix });
      return undefined;
    };
    const found = await Promise.all(
      Array.from(counts, ([affected, count]) => limit(() => advise(affected, count))),
    );
    const advised = found.filter((one) => one !== undefined);
    for (const { affected, fix } of advised) {
      fixes.set(affected.purl, [...(fixes.get(affected.purl) ?? []), fix]);
    }
    const plan = await orReason(() => planFixes(advised, project, request.facts, request.now));
    if (typeof plan !== 'string') plans.push(plan);
    else unadvised.push({ path, id: '', reason: plan });
    const reasons = new Set(request.facts.failures().slice(failedBefore).map(messageOf));
    for (const reason of reasons) unadvised.push({ path, id: '', reason });
  }
  return { findings: request.findings.map((finding) => withFixes(finding, fixes)), plans, unadvised };
}

/** The affected packages of a lockfile with the numbers of their findings. */
function affectedIn(
  { path, packages }: AdviceRequest['lockfiles'][number],
  findings: readonly Finding[],
): ReadonlyMap<ResolvedPackage, number> {
  const byPurl = new Map<string, number>();
  for (const finding of findings) {
    if (!isAdvisable(finding) || !finding.locations.some((one) => one.path === path)) continue;
    const { purl } = finding.package;
    byPurl.set(purl, (byPurl.get(purl) ?? 0) + 1);
  }
  const own = Map.groupBy(
    packages.filter((one) => byPurl.has(one.purl) && publicKey(one) !== undefined),
    ({ purl }) => purl,
  );
  // In the order of the findings, so that a limit of requests leaves out the least severe ones.
  const counts = new Map<ResolvedPackage, number>();
  for (const [purl, count] of byPurl) {
    for (const one of own.get(purl) ?? []) counts.set(one, count);
  }
  return counts;
}

function withFixes(finding: Finding, fixes: ReadonlyMap<string, readonly Fix[]>): Finding {
  if (!isAdvisable(finding)) return finding;
  const own = fixes.get(finding.package.purl);
  const [first] = own ?? [];
  if (own === undefined || first === undefined) return finding;
  const others = own.length > 1 ? ` (${first.path}; --json has the other lockfiles)` : '';
  return { ...finding, advice: sentenceOf(finding.package.name, first) + others, fixes: [...own] };
}

/** The result, or the reason why no advice is given. */
async function orReason<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CodedError && error.code !== 'aborted') return messageOf(error);
    throw error;
  }
}
