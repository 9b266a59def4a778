import pLimit from 'p-limit';
import { waitsUntil } from '../../advice/candidates.ts';
import { AdviceError, type AdviceFacts } from '../../advice/facts.ts';
import { publicKey, requirersOf } from '../../advice/holders.ts';
import { openProject } from '../../advice/project.ts';
import { compiledStatement } from '../../lockfiles/requirements/python.ts';
import { statementReader } from '../../lockfiles/requirements/read-statement.ts';
import type { StatementInput } from '../../lockfiles/requirements/statement.ts';
import type { StatedCooldown, StatedRequirement } from '../../model/advice/project-statement.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { canonicalName } from '../../model/lockfile/ecosystem.ts';
import { isReadWhole } from '../../model/lockfile/read-whole.ts';
import type { PublishedVersion } from '../../model/ports/insights.ts';
import type { Exception } from '../../model/scan/exception.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../../model/scan/inventory.ts';
import { isCompiled, selectsOthers, unproven } from '../../policy/exceptions/evidence.ts';
import { lockfileProver } from '../../policy/exceptions/lockfile-proof.ts';
import { proveAbsent, proveConstraint } from './prove-constraints.ts';
import { moduleProver } from './prove-modules.ts';

/** Packages about which the index is asked at the same time. */
const CONCURRENCY = 8;
/** Some package managers have a cooldown of a day by themselves: where it is not known, no younger release counts. */
const UNKNOWN_COOLDOWN: StatedCooldown = { minutes: 1_440, where: '', except: [] };

/** Whether what the index has may say more about an exception than its lockfile does. */
export function isOpenException({ kind, ecosystem = '', proof }: Exception): boolean {
  return ASKED.get(ecosystem)?.has(kind) === true && (proof?.verdict ?? 'unknown') === 'unknown';
}

/** The kinds of exceptions about which the index is asked, by ecosystem. */
const ASKED: ReadonlyMap<string, ReadonlySet<Exception['kind']>> = new Map([
  ['npm', new Set<Exception['kind']>(['override'])],
  ['pypi', new Set<Exception['kind']>(['override', 'constraint'])],
  ['golang', new Set<Exception['kind']>(['source', 'excluded-version'])],
]);

interface LookUp {
  readonly facts: AdviceFacts;
  /** In ms since 1970. */
  readonly now: number;
}

/** `failures`: the questions that the index did not answer. */
interface Proven {
  readonly exceptions: readonly Exception[];
  readonly failures: readonly CodedError[];
}

/**
 * Proves the exceptions that a lockfile alone does not decide, by what the index has. What cannot be read or asked leaves them unknown, with the
 * reason.
 */
export async function provenByIndex(
  file: ResolvedLockfile,
  input: StatementInput,
  look: LookUp,
): Promise<Proven> {
  return await (PROVERS.get(file.format) ?? provenOverrides)(file, input, look);
}

const PROVERS: ReadonlyMap<string, typeof provenOverrides> = new Map([
  ['go-mod', provenModules],
  ['uv-lock', provenConstraints],
  ['requirements-txt', provenConstraints],
]);

/** Constraints and overrides of uv and pip. A requirements file does not state what requires its packages. */
async function provenConstraints(
  file: ResolvedLockfile,
  input: StatementInput,
  { facts, now }: LookUp,
): Promise<Proven> {
  const { format, exceptions = [] } = file;
  const isFlat = format === 'requirements-txt';
  const problems: string[] = [];
  const read = (await statementReader(format))(input, (reason) => void problems.push(reason));
  const isOther = selectsOthers([input.text, ...input.files.values()]);
  const isLacking = isFlat && !isCompiled(input.text);
  if (problems.length > 0 || isOther || isLacking || !isReadWhole(file)) return { exceptions, failures: [] };
  const statement = isFlat ? { ...read, ...compiledStatement(input) } : read;
  const { cooldown } = statement;
  const failures: CodedError[] = [];
  const orOpen = (error: unknown) => unproven(messageOf(failures[failures.push(codedError(error)) - 1]));
  const packages = isFlat ? await withDependencies(file.packages, facts).catch(orOpen) : file.packages;
  const project = 'verdict' in packages ? undefined : openProject({ ...file, packages, statement });
  const limit = pLimit(CONCURRENCY);
  const look = {
    facts,
    isAged: (name: string, one: PublishedVersion) => waitsUntil(name, one, cooldown, now) === undefined,
  };
  const proven = exceptions.map(async (one) => {
    const named = (name = '') => canonicalName(name, 'PYPI');
    const own = project?.packages.filter(({ name }) => named(name) === named(one.package)) ?? [];
    const [locked, ...more] = own;
    // What holds for some environments alone, and for builds, is not compared.
    const isAsked =
      isOpenException(one) && !/;|^\s*$/.test(one.value ?? '') && !one.setting.startsWith('tool.uv.build');
    if (!isAsked || project === undefined || more.length > 0) return one;
    const others = exceptions.filter((it) => it !== one && named(it.package) === named(one.package));
    const prove = async () =>
      locked === undefined
        ? await proveAbsent(one, { project, ...look })
        : await proveConstraint(one, others, locked, { project, ...look });
    const proof = await limit(prove).catch(orOpen);
    return { ...one, proof };
  });
  return { exceptions: await Promise.all(proven), failures: [...facts.failures(), ...failures] };
}

/** Packages with those that each declares to need. Throws `AdviceError` where that is not known. */
async function withDependencies(
  packages: readonly ResolvedPackage[],
  facts: AdviceFacts,
): Promise<readonly ResolvedPackage[]> {
  const ids = new Map(packages.map((one) => [canonicalName(one.name, 'PYPI'), one.id]));
  const limit = pLimit(CONCURRENCY);
  const ask = async (one: ResolvedPackage) => {
    const key = publicKey(one);
    const declared = key === undefined ? undefined : await facts.requirements(key);
    if (declared?.state !== 'good')
      throw new AdviceError('no-answer', `the requirements of ${one.id} are not known`);
    const dependencies = declared.found.flatMap(({ name }) => ids.get(canonicalName(name, 'PYPI')) ?? []);
    return { ...one, dependencies };
  };
  return await Promise.all(packages.map((one) => limit(() => ask(one))));
}

/** Go's `replace` and `exclude`, by what the modules of its graph require. */
async function provenModules(
  { exceptions = [] }: ResolvedLockfile,
  input: StatementInput,
  { facts }: LookUp,
): Promise<Proven> {
  const failures: CodedError[] = [];
  const orReason = (error: unknown) => {
    failures.push(codedError(error));
    return async () => unproven(messageOf(error));
  };
  const prove = await moduleProver(input, exceptions, facts).catch(orReason);
  const proven = exceptions.map(async (one) => {
    if (!isOpenException(one)) return one;
    return { ...one, proof: await prove(one).catch(async (error: unknown) => await orReason(error)()) };
  });
  return { exceptions: await Promise.all(proven), failures: [...facts.failures(), ...failures] };
}

/** Overrides of JavaScript, by what the index has of the dependents, and by the releases of the overridden packages. */
async function provenOverrides(
  file: ResolvedLockfile,
  input: StatementInput,
  { facts, now }: LookUp,
): Promise<Proven> {
  const { path, format, exceptions = [] } = file;
  const problems: string[] = [];
  const statement = (await statementReader(format))(input, (reason) => void problems.push(reason));
  if (problems.length > 0) return { exceptions, failures: [] };
  const { cooldown = UNKNOWN_COOLDOWN } = statement;
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
  const names = [...new Set(exceptions.filter(isOpenException).flatMap((one) => one.package ?? []))];
  /** An answer has what was found, or why nothing was. */
  const answers = new Map(
    await Promise.all(
      names.map(async (name) => [name, await limit(() => look(name).catch(codedError))] as const),
    ),
  );
  const found = [...answers.values()].flatMap((one) => (one instanceof CodedError ? [] : one));
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
  const unread = facts.failures();
  return {
    exceptions: exceptions.map((one) => {
      const proof = isOpenException(one) ? prove(one) : undefined;
      if (proof === undefined) return one;
      const own = answers.get(one.package ?? '');
      const reason = own instanceof CodedError ? own : unread[0];
      if (proof.verdict !== 'unknown' || reason === undefined) return { ...one, proof };
      return { ...one, proof: { ...proof, evidence: `${proof.evidence} (${messageOf(reason)})` } };
    }),
    failures: [...unread, ...[...answers.values()].filter((one) => one instanceof CodedError)],
  };
}

/** The failure of a look-up. Throws anything else. */
function codedError(error: unknown): CodedError {
  if (error instanceof CodedError && error.code !== 'aborted') return error;
  throw error;
}
