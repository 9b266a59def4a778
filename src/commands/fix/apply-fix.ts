import { dirname, join, relative, resolve, sep } from 'node:path';
import { compareWithPlan } from '../../advice/compare-with-plan.ts';
import type { AppliedFix, AppliedPlan } from '../../model/advice/applied-fix.ts';
import type { FixPlan, FixStep, RemovalPlan } from '../../model/advice/fix-plan.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { commitBranch } from './commit-branch.ts';
import { FixError } from './errors.ts';
import { runScript } from './run-script.ts';
import { type ChangedFile, findRoot, openWorkingCopy, type WorkingCopy } from './working-copy.ts';
import { restoreUnfinished, writeChanges } from './write-changes.ts';

export interface ApplyOptions {
  /** The folder that was scanned. */
  readonly folder: string;
  readonly plans: readonly FixPlan[];
  /** A lockfile whose plan has commands keeps its exceptions until the next run. */
  readonly removals?: readonly RemovalPlan[];
  /** The scan that the plans are for. */
  readonly before: ScanReport;
  /** A command of a shell that has to succeed in the copy before anything is written. */
  readonly check?: string | undefined;
  /** The new branch that gets the result; absent: the files of the folder get it. */
  readonly branch?: string | undefined;
  /** Whether the branch is one of another repository: the result has the commit for it, and the message. */
  readonly isRemote?: boolean | undefined;
  /** Scans a folder as `before` was scanned. */
  readonly scan: (folder: string) => Promise<ScanReport>;
  readonly inherited: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called with what begins. */
  readonly onStep: (text: string) => void;
}

/** Steps of a plan that are tried together, with their commands. */
type Candidate = Pick<FixPlan, 'path' | 'steps' | 'commands'> & Partial<Pick<RemovalPlan, 'removes'>>;

/** A candidate that does what its steps say, with what it changed. */
type Proven = Candidate & { readonly files: readonly ChangedFile[] };

/** A candidate whose changes were undone. */
type Refused = Candidate & { readonly reason: string };

/**
 * Runs the advised commands in a copy of the working tree, scans it again, runs the check, and writes the result only when the
 * findings are gone and the check succeeds. Of a lockfile whose plan fails as a whole, each step is tried alone, and those that
 * do what they say are made. Throws `FixError`, `SourceError`, the signal's reason; nothing is changed then.
 */
export async function applyFix(options: ApplyOptions): Promise<AppliedFix> {
  const { check, signal, onStep } = options;
  const place = await findRoot(options.folder, options);
  const restored = await restoreUnfinished(place.root);
  if (restored.length > 0) return { plans: [], restored };
  const copy = await openWorkingCopy(options.folder, place, signal);
  try {
    const { proven, refused } = await provePlans(copy, options);
    const plans = [
      ...proven.map((one) => appliedOf(one, options.before)),
      ...refused.map(({ path, reason, steps }) => ({
        ...{ path, reason },
        changes: steps.flatMap(({ changes }) => changes),
      })),
    ];
    const files = proven.flatMap((one) => one.files);
    if (files.length === 0) return { plans };
    if (check !== undefined) {
      onStep(`running ${check}`);
      const { succeeded, lastLines } = await runScript(copy.folder, [check], {
        signal,
        isCheck: true,
      });
      if (!succeeded) return { plans, failedCheck: lastLines };
    }
    const written = files.map(({ path }) => path);
    if (options.branch === undefined) {
      await writeChanges(copy, files);
      return { plans, written };
    }
    const message = messageOf(copy.root, proven, options);
    const commit = await commitBranch(copy, files, { ...options, branch: options.branch, message });
    return { plans, written, branch: options.branch, commit, message };
  } finally {
    await copy.remove();
  }
}

interface Tried {
  readonly proven: readonly Proven[];
  readonly refused: readonly Refused[];
}

async function provePlans(copy: WorkingCopy, options: ApplyOptions): Promise<Tried> {
  const plans = options.plans.filter(({ commands }) => commands.length > 0);
  const planned = new Set(plans.map(({ path }) => path));
  const removals = (options.removals ?? []).filter(({ path }) => !planned.has(path));
  const candidates = [...plans, ...removals.map((one) => ({ ...one, steps: [] }))];
  const whole = await attempt(copy, candidates, [], options);
  const proven = [...whole.proven];
  const refused: Refused[] = [];
  for (const one of whole.refused) {
    if (one.steps.length <= 1) {
      refused.push(one);
      continue;
    }
    const good: FixStep[] = [];
    for (const step of one.steps) {
      const alone = { path: one.path, steps: [step], commands: step.commands };
      const tried = await attempt(copy, [alone], proven, options);
      if (tried.proven.length > 0) good.push(step);
      refused.push(...tried.refused);
      await copy.restore(tried.proven.flatMap(({ files }) => files));
    }
    if (good.length === 0) continue;
    const rest = { path: one.path, steps: good, commands: good.flatMap(({ commands }) => commands) };
    const tried = await attempt(copy, [rest], proven, options);
    proven.push(...tried.proven);
    refused.push(...tried.refused);
  }
  return { proven, refused };
}

/** Runs candidates in the copy and scans it once. The changes of those that do not do what they say are undone. */
async function attempt(
  copy: WorkingCopy,
  candidates: readonly Candidate[],
  proven: readonly Proven[],
  options: ApplyOptions,
): Promise<Tried> {
  const { signal, onStep, before } = options;
  const known = new Map(proven.flatMap(({ files }) => files.map(({ path, stamp }) => [path, stamp])));
  const made: Proven[] = [];
  const refused: Refused[] = [];
  const undo = async (candidate: Candidate, files: readonly ChangedFile[], reason: string) => {
    await copy.restore(files);
    refused.push({ ...candidate, reason });
  };
  for (const candidate of candidates) {
    const { path, commands } = candidate;
    const byHand = commands.find((line) => line.startsWith('#'));
    if (byHand !== undefined) {
      await undo(candidate, [], `needs a change by hand: ${byHand.replace(/^#\s*/, '')}`);
      continue;
    }
    onStep(`changing ${path}: ${commands.join('; ')}`);
    const { succeeded, lastLines } = await runScript(join(copy.folder, dirname(path)), commands, { signal });
    const files = (await copy.changes()).filter((file) => known.get(file.path) !== file.stamp);
    const shared = files.find((file) => known.has(file.path));
    if (shared !== undefined)
      throw new FixError(
        'not-applicable',
        `${shared.path} belongs to several lockfiles: fix one folder at a time`,
      );
    for (const file of files) known.set(file.path, file.stamp);
    if (!succeeded) await undo(candidate, files, `the commands failed:\n${lastLines}`);
    else if (files.length === 0) await undo(candidate, files, 'the commands changed nothing');
    else made.push({ ...candidate, files });
  }
  if (made.length === 0) return { proven: [], refused };
  onStep('scanning the result');
  const after = await options.scan(copy.folder);
  const kept: Proven[] = [];
  for (const one of made) {
    const { path, steps, files } = one;
    const { notes } = compareWithPlan(steps, findingsIn(before, path), findingsIn(after, path));
    const faults = [
      ...notes,
      ...newGaps(before, after, path),
      ...(one.removes !== undefined && graphOf(before, path) !== graphOf(after, path)
        ? ['the lockfile is not the same without the exceptions']
        : []),
    ];
    if (faults.length === 0) kept.push(one);
    else await undo(one, files, faults.join('\n'));
  }
  return { proven: kept, refused };
}

/** The advised findings of one lockfile. */
function findingsIn({ verdict }: ScanReport, path: string): readonly Finding[] {
  return verdict.findings.filter(
    ({ suppressed, locations }) => suppressed === undefined && locations.some((one) => one.path === path),
  );
}

/** The packages of a lockfile with what each gets. */
function graphOf({ inventory }: ScanReport, path: string): string {
  const packages = inventory.lockfiles.filter((one) => one.path === path).flatMap((one) => one.packages);
  return packages
    .map(({ id, dependencies = [] }) => JSON.stringify([id, [...dependencies].sort()]))
    .sort()
    .join('\n');
}

/** The gaps of the scan of the result that the one before did not have: a fix that hides a finding is no fix. */
function newGaps(before: ScanReport, after: ScanReport, path: string): readonly string[] {
  const known = new Set(before.verdict.gaps.map(({ kind, subject }) => `${kind} ${subject}`));
  const own = new Set(
    after.inventory.lockfiles
      .filter((one) => one.path === path)
      .flatMap(({ packages }) => packages.map(({ purl }) => purl)),
  );
  const isRead = after.inventory.lockfiles.some((one) => one.path === path);
  return [
    ...(isRead ? [] : ['the lockfile cannot be read any more']),
    ...after.verdict.gaps
      .filter(({ kind, subject }) => !known.has(`${kind} ${subject}`))
      .filter(({ subject }) => !subject.startsWith('pkg:') || own.has(subject))
      .map(({ subject, reason }) => `not known: ${subject}: ${reason}`),
  ];
}

function appliedOf({ path, steps, files, removes }: Proven, before: ScanReport): AppliedPlan {
  if (removes !== undefined) return { path, files: files.map((file) => file.path), removed: removes.length };
  const packages = cleared(steps);
  const advisories = findingsIn(before, path)
    .filter(({ package: { name, version } }) => packages.has(`${name}@${version}`))
    .flatMap(({ advisory }) => advisory?.id ?? []);
  return { path, files: files.map((file) => file.path), advisories: [...new Set(advisories)] };
}

function cleared(steps: readonly FixStep[]): ReadonlySet<string> {
  return new Set(steps.flatMap(({ clears }) => clears.map(({ id }) => id)));
}

/** The message of the commit: what is cleared, by which commands, and what was checked. */
function messageOf(root: string, proven: readonly Proven[], { before, check, folder }: ApplyOptions): string {
  const advisories = new Set(proven.flatMap((one) => appliedOf(one, before).advisories ?? []));
  const packages = new Set(proven.flatMap(({ steps }) => [...cleared(steps)]));
  const removed = proven.flatMap(({ removes = [] }) => removes);
  const what = `${advisories.size} ${advisories.size === 1 ? 'advisory' : 'advisories'}`;
  const lines = proven.flatMap(({ path, commands }) => {
    const place = relative(root, resolve(folder, dirname(path))).replaceAll(sep, '/');
    return commands.map((line) => `    ${place === '' ? '' : `(cd ${place}) `}${line}`);
  });
  return [
    packages.size === 0
      ? `fix: remove ${removed.length} ${removed.length === 1 ? 'exception' : 'exceptions'} without an effect`
      : `fix: clear ${what} in ${packages.size} ${packages.size === 1 ? 'package' : 'packages'}`,
    '',
    ...(packages.size === 0
      ? []
      : [`Clears ${[...advisories].join(', ')}`, `in ${[...packages].join(', ')}.`, '']),
    ...removed.map(({ path, subject, evidence }) => `Without ${subject} in ${path}: ${evidence}.`),
    ...(removed.length === 0 ? [] : ['']),
    'Commands:',
    '',
    ...lines,
    '',
    `A scan of the result has ${packages.size === 0 ? '' : 'none of these findings and '}no new one.`,
    ...(check === undefined ? [] : [`The check succeeds: ${check}`]),
    '',
  ].join('\n');
}
