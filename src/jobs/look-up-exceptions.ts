import { z } from 'zod';
import { createAdviceFacts } from '../advice/facts.ts';
import { STATEMENT_FILES } from '../lockfiles/requirements/read-statement.ts';
import type { StatementInput } from '../lockfiles/requirements/statement.ts';
import { decodeText } from '../lockfiles/syntax/decode-text.ts';
import { CodedError } from '../model/errors.ts';
import { lazily } from '../model/lazily.ts';
import type { TargetState } from '../model/scan/change.ts';
import type { Exception } from '../model/scan/exception.ts';
import { policyFor } from '../policy/policy-for.ts';
import { exceptionPurl, staleException, staleExceptions } from '../policy/rules/stale-exception.ts';
import { IncompleteError } from '../scan/attempt.ts';
import { ownersFor, statedBy } from '../scan/compare.ts';
import { comparePart } from '../scan/compare-part.ts';
import { contentHash, contentOf, type Reading, readLockfiles } from '../scan/read.ts';
import { resolveLockfiles } from '../scan/resolve.ts';
import { letScansPass } from './errors.ts';
import type { Job, JobRun, RunContext } from './job.ts';
import { scanId, targetSchema, timestamp } from './payloads/fields.ts';
import { type IngestedLockfile, lockfileField } from './payloads/lockfile-field.ts';
import type { Ports } from './ports.ts';
import { isOpenException, provenByIndex } from './scan/prove-exceptions.ts';
import { comparisonRules, recordPartVerdict } from './scan/record-verdict.ts';

const schema = lazily(() =>
  z.strictObject({
    scan: scanId().describe('Id of the scan whose lockfiles have the exceptions.'),
    target: targetSchema(),
    requestedAt: timestamp(),
    lockfiles: z.array(lockfileField()).max(10_000),
  }),
);

type LookUpExceptions = z.infer<ReturnType<typeof schema>>;

/** The result of one job. */
interface ProofCounts {
  /** Exceptions about which a lockfile alone says nothing. */
  readonly open: number;
  readonly proven: number;
}

/** Look-ups wait this long for scans, so that they delay no alert. */
const PATIENCE_MS = 120_000;
/** Requests of one job. */
const MAX_REQUESTS = 5_000;

type Needs = 'blobs' | 'fleet' | 'insights' | 'limits' | 'lockfiles' | 'policy' | 'routing' | 'targets';

/**
 * Proves, with what the index has, the overrides that the lockfiles of a full scan alone do not decide, after the scan was judged. It adds the
 * proofs to the state of the target, and opens or resolves the notes of `stale-exception` about these overrides. What could not be looked up
 * leaves a note as it is.
 */
export const lookUpExceptions: Job<LookUpExceptions, ProofCounts, Needs> = {
  name: 'look-up-exceptions',
  version: 1,
  schema,
  key: ({ scan }) => scan,
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 300_000, timeoutMs: 600_000, concurrency: 1 },
  async run(payload, ports, context) {
    await letScansPass(ports.fleet, payload, PATIENCE_MS, context.startedAt);
    const { id } = payload.target;
    const [previous, summary] = await Promise.all([ports.targets.read(id), ports.fleet.summary(id)]);
    const hashes = new Map(previous?.lockfiles?.map((one) => [one.path, one.sha256]));
    // A later scan looks up what it has read itself.
    const files = payload.lockfiles.filter(
      (one) => !('unread' in one) && hashes.get(one.path) === contentHash(one),
    );
    if (previous?.lockfiles === undefined || summary === undefined || files.length === 0)
      return { result: { open: 0, proven: 0 }, next: [] };
    const proven = await provenIn(files, previous.lockfiles, ports, context);
    const open = new Set(
      previous.lockfiles
        .filter(({ path }) => proven.has(path))
        .flatMap(({ exceptions = [] }) => exceptions.filter(isOpenException).map(exceptionPurl)),
    );
    const lockfiles = previous.lockfiles.map((one) => ({ ...one, ...proven.get(one.path) }));
    // A later scan may have stated others.
    const { labels } = summary;
    const judged = { ...payload, target: { id, labels } };
    return await judgeProven(judged, { previous, lockfiles, open }, ports, context);
  },
  log: ({ scan, target }, counts) => ({ facts: { scan, target: target.id, ...counts } }),
  spent: 'own',
};

type StoredLockfiles = NonNullable<TargetState['lockfiles']>;

/** The exceptions of lockfiles with their proofs, by path. Throws `IncompleteError`. */
async function provenIn(
  files: readonly IngestedLockfile[],
  stored: StoredLockfiles,
  { blobs, insights, limits, lockfiles }: Pick<Ports, Needs>,
  context: RunContext,
): Promise<ReadonlyMap<string, { readonly exceptions: Exception[] }>> {
  const { signal, startedAt, lastAttempt } = context;
  const reading = { limits: limits.lockfile, read: lockfiles.read, stored: blobs.read };
  const read = await readLockfiles(files, reading, context);
  const resolving = { insights, readAt: startedAt, keepsArtifacts: true };
  const { inventory } = await resolveLockfiles(read, resolving, context);
  const facts = createAdviceFacts(insights, { signal, maxRequests: MAX_REQUESTS });
  const proven = new Map<string, { readonly exceptions: Exception[] }>();
  const failed: CodedError[] = [];
  for (const file of inventory.lockfiles) {
    const { exceptions = [] } = stored.find(({ path }) => path === file.path) ?? {};
    const given = files.find(({ path }) => path === file.path);
    const input = given && (await inputOf(given, reading));
    if (input === undefined) continue;
    const found = await provenByIndex({ ...file, exceptions }, input, { facts, now: startedAt });
    proven.set(file.path, { exceptions: [...found.exceptions] });
    failed.push(...found.failures);
  }
  const failure = failed.find(({ retryable }) => retryable);
  if (failure === undefined || lastAttempt) return proven;
  const { message, retryAfterMs } = failure;
  throw new IncompleteError('insights-partial', message, { cause: failure, retryAfterMs });
}

/** A lockfile with the files beside it that state requirements; `undefined` where one of these cannot be read. */
async function inputOf(file: IngestedLockfile, reading: Reading): Promise<StatementInput | undefined> {
  const { path, companions = [] } = file;
  const texts = new Map<string, string>();
  const stating = companions.filter(({ name }) => STATEMENT_FILES.includes(name));
  for (const one of [...stating, { ...file, name: path }]) {
    if ('unread' in one) return undefined;
    try {
      texts.set(one.name, decodeText(await contentOf(one, one.name, reading), one.name));
    } catch (error) {
      if (!(error instanceof CodedError) || error.retryable) throw error;
      return undefined;
    }
  }
  const text = texts.get(path) ?? '';
  texts.delete(path);
  return { path, text, files: texts };
}

/** `open`: the exceptions that are judged, by their purls. */
async function judgeProven(
  { scan, target, requestedAt }: LookUpExceptions,
  {
    previous,
    lockfiles,
    open,
  }: {
    readonly previous: TargetState;
    readonly lockfiles: StoredLockfiles;
    readonly open: ReadonlySet<string>;
  },
  ports: Pick<Ports, Needs>,
  { startedAt: judgedAt }: RunContext,
): Promise<JobRun<ProofCounts>> {
  const rules = await comparisonRules(ports);
  const judged = lockfiles.map(({ path, sha256 = '', exceptions = [] }) => ({
    ...{ path, sha256, format: '', packages: [], problems: [] },
    exceptions: exceptions.filter((one) => open.has(exceptionPurl(one))),
  }));
  const { findings, unsure } = staleExceptions({
    ...{ target: target.id, inventory: { lockfiles: judged, unread: [] }, findings: [] },
    ...{ policy: policyFor(rules.policy, target), now: judgedAt },
  });
  const stated = statedBy(previous, undefined);
  const own = [...stated.values()].flatMap(({ suppressions = [] }) => suppressions);
  const owned = await ownersFor(rules.policy, target, stated);
  const compared = await comparePart(
    {
      ...{ scan: `${scan}.exceptions`, target, requestedAt, judgedAt, previous, gaps: [] },
      findings: findings.map(owned),
      isOpen: (finding) => unsure.has(finding.package.purl),
      part: {
        location: staleException.name,
        has: ({ rule, package: { purl } }) => rule === staleException.name && open.has(purl),
        judgedAt: undefined,
        state: { lockfiles },
      },
    },
    { ...rules, suppressions: [...rules.suppressions, ...own] },
  );
  const result = { open: open.size, proven: open.size - unsure.size };
  const { verdict, state, replaces } = compared;
  if (state !== undefined && verdict.changes.length === 0) {
    const { history = [] } = previous;
    return { result, next: [], state: { target: target.id, replaces, state: { ...state, history } } };
  }
  const { record: _, ...run } = recordPartVerdict(compared, previous);
  return { ...run, result };
}
