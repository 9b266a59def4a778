import { dirname, join } from 'node:path';
import { type AdviceRequest, type Advised, adviseFindings } from '../../advice/advise-findings.ts';
import { createAdviceFacts } from '../../advice/facts.ts';
import { FileError } from '../../files/errors.ts';
import { foldersLike } from '../../files/folders-like.ts';
import { readFile } from '../../files/read-file.ts';
import { isOpenException, provenByIndex } from '../../jobs/scan/prove-exceptions.ts';
import { MAX_COMPANION_BYTES } from '../../lockfiles/companions.ts';
import type { DiscoveredLockfile } from '../../lockfiles/discover.ts';
import { LockfileError } from '../../lockfiles/errors.ts';
import {
  memberPatterns,
  STATEMENT_FILES,
  statementReader,
} from '../../lockfiles/requirements/read-statement.ts';
import type { StatementInput } from '../../lockfiles/requirements/statement.ts';
import { decodeText } from '../../lockfiles/syntax/decode-text.ts';
import type { ProjectStatement } from '../../model/advice/project-statement.ts';
import type { Insights } from '../../model/ports/insights.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../../model/scan/inventory.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { compareFindingOrder } from '../../policy/finding-order.ts';
import { withPriority } from '../../policy/priority/priority.ts';

export interface ScanAdvice {
  readonly insights: Insights;
  /** The lockfiles that were read, by their paths in the report. */
  readonly places: ReadonlyMap<string, DiscoveredLockfile>;
  readonly maxRequests: number;
  /** The size limit of a lockfile. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface AdvisedScan extends Pick<Advised, 'plans'> {
  /** Its findings have their fixes. */
  readonly report: ScanReport;
  /** Package versions that the commit does not have with which the scan is compared; absent without one. */
  readonly added?: readonly ResolvedPackage[];
}

/** Adds advice to the findings of a scan. Files are read again for it, because a scan frees their contents. */
export async function adviseScan(report: ScanReport, advice: ScanAdvice): Promise<AdvisedScan> {
  const { insights, maxRequests, signal } = advice;
  const problems: { path: string; id: string; reason: string }[] = [];
  const request: AdviceRequest = {
    findings: report.verdict.findings,
    lockfiles: report.inventory.lockfiles,
    facts: createAdviceFacts(insights, { signal, maxRequests }),
    now: Date.now(),
    statementOf: (path, format) =>
      statementOf(path, format, advice, (reason) => problems.push({ path, id: '', reason })),
  };
  const { findings, plans, unadvised } = await adviseFindings(request);
  return {
    report: {
      ...report,
      // A fix at hand is a part of the priority.
      verdict: {
        ...report.verdict,
        findings: findings.map((finding) => withPriority(finding)).sort(compareFindingOrder),
      },
      advice: { plans, unadvised: [...problems, ...unadvised] },
    },
    plans,
  };
}

/** Proves the overrides that the lockfiles alone do not decide. What cannot be read or asked leaves them unknown. */
export async function proveExceptions(report: ScanReport, advice: ScanAdvice): Promise<ScanReport> {
  const { insights, maxRequests, signal } = advice;
  const facts = createAdviceFacts(insights, { signal, maxRequests });
  const lockfiles: ResolvedLockfile[] = [];
  for (const file of report.inventory.lockfiles) {
    const { path, format, exceptions = [] } = file;
    const problems: string[] = [];
    const input = exceptions.some(isOpenException)
      ? await inputOf(path, format, advice, (reason) => problems.push(reason))
      : undefined;
    const isProvable = input !== undefined && problems.length === 0;
    const proven = isProvable ? await provenByIndex(file, input, { facts, now: Date.now() }) : undefined;
    lockfiles.push(proven === undefined ? file : { ...file, exceptions: [...proven.exceptions] });
  }
  return { ...report, inventory: { ...report.inventory, lockfiles } };
}

async function statementOf(
  path: string,
  format: string,
  advice: ScanAdvice,
  problem: (reason: string) => void,
): Promise<ProjectStatement> {
  const input = await inputOf(path, format, advice, problem);
  if (input === undefined) return { requirements: [], statesDirect: false, pins: [] };
  return (await statementReader(format))(input, problem);
}

/** A lockfile and the files beside it; `undefined` for one that is not there any more, or cannot be read: then with the reason. */
async function inputOf(
  path: string,
  format: string,
  { places, maxBytes }: ScanAdvice,
  problem: (reason: string) => void,
): Promise<StatementInput | undefined> {
  const place = places.get(path);
  const text = place === undefined ? undefined : await textOf(place.path, place.within, maxBytes, problem);
  if (place === undefined || text === undefined) return undefined;
  const folder = dirname(place.path);
  const files = new Map<string, string>();
  const add = async (name: string): Promise<void> => {
    const own = await textOf(join(folder, name), place.root, MAX_COMPANION_BYTES, problem);
    if (own !== undefined) files.set(name, own);
  };
  for (const name of STATEMENT_FILES) await add(name);
  const members = await foldersLike(await memberPatterns(format, files), folder);
  for (const member of members) await add(`${member}/package.json`);
  return { path, text, files };
}

/** `undefined` for a file that does not exist, or that cannot be read: then with the reason. */
async function textOf(
  path: string,
  within: string | undefined,
  maxBytes: number,
  problem: (reason: string) => void,
): Promise<string | undefined> {
  try {
    return decodeText(await readFile(path, { maxBytes, within }), path);
  } catch (error) {
    if (!(error instanceof FileError || error instanceof LockfileError)) throw error;
    if (error.code !== 'not-found') problem(error.message);
    return undefined;
  }
}
