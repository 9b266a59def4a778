import { dirname, join } from 'node:path';
import pLimit from 'p-limit';
import { type AdviceRequest, type Advised, adviseFindings, orReason } from '../../advice/advise-findings.ts';
import { waitsUntil } from '../../advice/candidates.ts';
import { type AdviceFacts, createAdviceFacts } from '../../advice/facts.ts';
import { publicKey, requirersOf } from '../../advice/holders.ts';
import { openProject } from '../../advice/project.ts';
import { FileError } from '../../files/errors.ts';
import { foldersLike } from '../../files/folders-like.ts';
import { readFile } from '../../files/read-file.ts';
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
import type {
  ProjectStatement,
  StatedCooldown,
  StatedRequirement,
} from '../../model/advice/project-statement.ts';
import { messageOf } from '../../model/errors.ts';
import { isReadWhole } from '../../model/lockfile/read-whole.ts';
import type { Insights, PublishedVersion } from '../../model/ports/insights.ts';
import type { Exception } from '../../model/scan/exception.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../../model/scan/inventory.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { lockfileProver } from '../../policy/exceptions/lockfile-proof.ts';
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

/**
 * Proves the overrides of JavaScript that the lockfiles alone do not decide: by what the index has of the dependents, and by the releases of the
 * overridden packages. What cannot be read or asked leaves them unknown, with the reason.
 */
export async function proveExceptions(report: ScanReport, advice: ScanAdvice): Promise<ScanReport> {
  const { insights, maxRequests, signal } = advice;
  const facts = createAdviceFacts(insights, { signal, maxRequests });
  const lockfiles: ResolvedLockfile[] = [];
  for (const file of report.inventory.lockfiles) lockfiles.push(await proven(file, advice, facts));
  return { ...report, inventory: { ...report.inventory, lockfiles } };
}

/** Packages about which the index is asked at the same time. */
const CONCURRENCY = 8;
/** Some package managers have a cooldown of a day by themselves: where it is not known, no younger release counts. */
const UNKNOWN_COOLDOWN: StatedCooldown = { minutes: 1_440, where: '', except: [] };

async function proven(
  file: ResolvedLockfile,
  advice: ScanAdvice,
  facts: AdviceFacts,
): Promise<ResolvedLockfile> {
  const { path, format, exceptions = [] } = file;
  const open = exceptions.filter(isOpenOverride);
  const problems: string[] = [];
  const problem = (reason: string): void => void problems.push(reason);
  const input = open.length === 0 ? undefined : await inputOf(path, format, advice, problem);
  const statement = input && (await statementReader(format))(input, problem);
  if (input === undefined || statement === undefined || problems.length > 0) return file;
  const { cooldown = UNKNOWN_COOLDOWN } = statement;
  const now = Date.now();
  const project = openProject({ ...file, statement });
  const published = new Map<string, readonly PublishedVersion[]>();
  const look = async (name: string): Promise<readonly StatedRequirement[]> => {
    const locked = project.named(name);
    const holders = await Promise.all(locked.map((one) => requirersOf(one, project, facts)));
    if (locked.some((one) => publicKey(one) !== undefined)) {
      const list = await facts.versions({ system: 'NPM', name });
      const aged = list?.versions.filter((one) => waitsUntil(name, one, cooldown, now) === undefined);
      if (aged !== undefined && list?.isPartial !== true) published.set(name, aged);
    }
    return holders.flat().flatMap(({ kind, by, requirement, isPeer }) => {
      const isStated = kind !== 'package' || project.requirements(by, name).length > 0;
      return isStated || requirement === undefined ? [] : [{ by, folder: '', name, requirement, isPeer }];
    });
  };
  const limit = pLimit(CONCURRENCY);
  const names = [...new Set(open.flatMap((one) => one.package ?? []))];
  /** An answer has what was found, or why nothing was. */
  const answers = new Map(
    await Promise.all(
      names.map(async (name) => [name, await limit(() => orReason(() => look(name)))] as const),
    ),
  );
  const found = [...answers.values()].flatMap((one) => (typeof one === 'string' ? [] : one));
  const requirements = [...statement.requirements, ...found];
  const prove = lockfileProver(
    {
      ...{ path, format, packages: file.packages, isWhole: isReadWhole(file), text: input.text },
      ...{ others: [...input.files.values()], statement: { ...statement, requirements } },
      cooldown: statement.cooldown,
      publishedOf: (name) => published.get(name),
    },
    exceptions,
  );
  const [failure] = facts.failures();
  return {
    ...file,
    exceptions: exceptions.map((one) => {
      const proof = isOpenOverride(one) ? prove(one) : undefined;
      if (proof === undefined) return one;
      const own = answers.get(one.package ?? '');
      const reason = typeof own === 'string' ? own : failure && messageOf(failure);
      if (proof.verdict !== 'unknown' || reason === undefined) return { ...one, proof };
      return { ...one, proof: { ...proof, evidence: `${proof.evidence} (${reason})` } };
    }),
  };
}

/** Whether a lockfile of JavaScript may say more about an exception with what the index has. */
function isOpenOverride({ kind, ecosystem, proof }: Exception): boolean {
  return kind === 'override' && ecosystem === 'npm' && (proof?.verdict ?? 'unknown') === 'unknown';
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
