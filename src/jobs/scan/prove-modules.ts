import pLimit from 'p-limit';
import type { AdviceFacts } from '../../advice/facts.ts';
import { readDirectives } from '../../lockfiles/go-mod/directives.ts';
import { readChecksums } from '../../lockfiles/go-sum/checksums.ts';
import type { StatementInput } from '../../lockfiles/requirements/statement.ts';
import type { Exception, LockfileProof } from '../../model/scan/exception.ts';
import { needed, removable, unproven } from '../../policy/exceptions/evidence.ts';
import { schemeOf } from '../../versions/scheme.ts';

/** Modules about which the index is asked at the same time. */
const CONCURRENCY = 8;
/** A go.mod with more modules in its graph is not looked up. */
const MAX_MODULES = 1_000;

interface Module {
  readonly name: string;
  readonly version: string;
}

/** A requirement of a module (`name@version`), or of the target (empty). */
interface Required extends Module {
  readonly by: string;
}

/**
 * Returns the proofs of Go's `replace` and `exclude`, by what the modules of the graph require. go.sum names them: Go reads the go.mod of each to
 * select versions, and leaves out the requirements of versions that are excluded. Throws what `AdviceFacts` throws.
 */
export async function moduleProver(
  { path, text, files }: StatementInput,
  all: readonly Exception[],
  facts: AdviceFacts,
): Promise<(exception: Exception) => Promise<LockfileProof>> {
  const limit = pLimit(CONCURRENCY);
  const own: readonly Required[] = readDirectives(text).directives.flatMap(({ verb, words }) => {
    const [name = '', version = ''] = words;
    return verb === 'require' ? [{ by: '', name, version }] : [];
  });
  const stated = new Map(own.map(({ name, version }) => [name, version]));
  const listed = [...readChecksums(files.get('go.sum') ?? '').listed];
  const excluded = new Set(all.flatMap((one) => (one.setting === 'exclude' ? idOf(excludedBy(one)) : [])));
  const replaces = all.filter(({ setting }) => setting === 'replace');
  if (listed.length === 0 || listed.length > MAX_MODULES)
    return async () => unproven(`the ${listed.length} modules of the go.sum of ${path} are not looked up`);
  const asked = await Promise.all(listed.map(async (id) => [id, await requirementsOf(id)] as const));
  const open = asked.find(([, found]) => typeof found === 'string')?.[1];
  const edges = [...own, ...asked.flatMap(([, found]) => (typeof found === 'string' ? [] : found))].filter(
    (one) => !excluded.has(idOf(one)),
  );
  const byName = Map.groupBy(edges, ({ name }) => name);

  return async (exception) => {
    // Go takes a package that nothing requires from the newest version that is replaced, though it is excluded.
    const both = replaces.find(
      (one) => one.package === exception.package && excluded.has(idOf(excludedBy(one))),
    );
    // What a folder requires is in no index.
    const folder = replaces.find((one) => one !== exception && !isVersion(targetOf(one).version));
    const gap =
      (both && `${both.subject} is excluded and replaced`) ??
      (folder && `what ${folder.value} requires, which replaces ${folder.subject}, is not known`) ??
      (typeof open === 'string' ? open : undefined);
    const proof = await (exception.setting === 'exclude' ? excludeProof : replaceProof)(exception);
    return proof.verdict === 'removable' && gap !== undefined ? unproven(gap) : proof;
  };

  async function excludeProof(exception: Exception): Promise<LockfileProof> {
    const one = excludedBy(exception);
    const { name, version } = one;
    const selected = selectedOf(name);
    const isNewer = selected === undefined || isLess(selected, version);
    const owner = asked.find(
      ([, found]) => typeof found !== 'string' && found.some((it) => idOf(it) === idOf(one)),
    );
    if (owner !== undefined && isNewer) return needed(`${owner[0]} requires ${name} ${version}`);
    if (owner !== undefined) return (await brings([one])) ?? removable(`${name} ${selected} is selected`);
    const none = `no module requires ${name} ${version}`;
    if (!isNewer || selected === undefined) return removable(none);
    const list = await limit(() => facts.versions({ system: 'GO', name }));
    if (list === undefined || list.isPartial === true)
      return unproven(`${none}, but it may be the newest release`);
    const isPast = list.versions.some(
      (other) => isLess(version, other.version) && !other.version.includes('-'),
    );
    if (isPast) return removable(`${none}, and there is a newer release`);
    return needed(`it holds off ${name} ${version}, the newest release`);
  }

  async function replaceProof(exception: Exception): Promise<LockfileProof> {
    const { package: name = '', range = '', subject } = exception;
    const others = new Set(
      replaces.flatMap((one) => (one.package === name && one !== exception ? (one.range ?? '') : [])),
    );
    const uses = (byName.get(name) ?? []).filter(({ version }) =>
      range === '' ? !others.has(version) : version === range,
    );
    const [first] = uses;
    if (first === undefined) return removable(`no module requires ${subject}`);
    const target = targetOf(exception);
    const selected = selectedOf(name);
    const isBuilt = uses.some(({ version }) => version === selected);
    const used = `${first.by === '' ? path : first.by} requires ${name} ${first.version}, in whose place it is`;
    if (target.name !== name || (isBuilt && target.version !== selected)) return needed(used);
    // The same version is built without it. Others, which are read for their requirements alone, get their own ones back.
    const back = uses.filter(({ version }) => version !== target.version);
    const isRead = (byName.get(name) ?? []).some(({ version }) => version === target.version);
    if (back.length > 0 && !isRead) return needed(used);
    return (await brings(back)) ?? removable(`${name} ${selected} is selected without it`);
  }

  /** That versions would require something newer than what is selected; `undefined` where they do not. */
  async function brings(modules: readonly Module[]): Promise<LockfileProof | undefined> {
    for (const id of new Set(modules.map(idOf))) {
      const found = await requirementsOf(id);
      if (typeof found === 'string') return unproven(found);
      const newer = found.find((one) => isLess(selectedOf(one.name) ?? 'v0.0.0-0', one.version));
      if (newer !== undefined) return needed(`without it, ${id} requires ${newer.name} ${newer.version}`);
    }
    return undefined;
  }

  /** The version of a module in the build, before it is replaced: the highest one that is required. */
  function selectedOf(name: string): string | undefined {
    const versions = (byName.get(name) ?? []).map(({ version }) => version);
    return (
      stated.get(name) ??
      versions.reduce<string | undefined>((one, other) => {
        return one === undefined || isLess(one, other) ? other : one;
      }, undefined)
    );
  }

  /** The requirements of a module, or why they are not known. */
  async function requirementsOf(id: string): Promise<readonly Required[] | string> {
    const at = id.lastIndexOf('@');
    const key = { system: 'GO', name: id.slice(0, at), version: id.slice(at + 1) } as const;
    const found = await limit(() => facts.requirements(key));
    if (found.state !== 'good') return found.reason;
    return found.found.map(({ name, requirement: version }) => ({ by: id, name, version }));
  }
}

function idOf({ name, version }: Module): string {
  return `${name}@${version}`;
}

function excludedBy({ package: name = '', range = '' }: Exception): Module {
  return { name, version: range };
}

/** The module that a `replace` puts in the place of another one. A folder has no version. */
function targetOf({ value = '' }: Exception): Module {
  const [name = '', version = ''] = value.split(' ');
  return { name, version };
}

function isVersion(text: string): boolean {
  return text.startsWith('v');
}

function isLess(version: string, other: string): boolean {
  return schemeOf('GO').compare(version, other) < 0;
}
