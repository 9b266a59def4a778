import { loadPackage } from '../../model/lazily.ts';
import type { Source } from '../../model/lockfile/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { type ChecksummedModule, readChecksums } from '../go-sum/checksums.ts';
import { CUT, draftPackage, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import { readCompanion } from '../syntax/decode-text.ts';
import { type Directive, readDirectives } from './directives.ts';

const CHECKSUMS = 'go.sum';

/** Go's module file. Before Go 1.17 only go.sum names the indirect modules. */
export const goMod: Format = {
  name: 'go-mod',
  title: 'go.mod (with go.sum below Go 1.17)',
  ecosystem: 'golang',
  fileNames: ['go.mod'],
  facts: { edges: false, groups: false, integrity: true, lines: true },
  conditions: { integrity: 'with go.sum' },
  isManifest: true,
  companions: [CHECKSUMS],
  recognises: (head) =>
    (/^module\s+\S+/m.test(head) && /^(?:go\s+\d|require\b)/m.test(head)) ||
    /^require(?: \(\s+| )(?=[^\s.]+\.)\S+ v\d+\.\d+\.\d+/m.test(head),
  read: readModules,
};

const VERSION = /^v\d+\.\d+\.\d+/;
const VERBS: ReadonlySet<string> = new Set([
  ...['module', 'go', 'toolchain', 'godebug', 'require', 'exclude', 'replace', 'retract', 'tool', 'ignore'],
]);
/** Since Go 1.17, go.mod names all modules that the build needs. */
const COMPLETE_SINCE = [1, 17];

/** Reads the modules as they are after `replace`. */
function readModules(input: LockfileInput, builder: LockfileBuilder): void {
  const { directives, malformed, open } = readDirectives(input.text);
  if (!directives.some(({ verb }) => VERBS.has(verb))) {
    throw new LockfileError('wrong-format', `${input.path}: not a go.mod: it has no directive`);
  }
  if (open !== undefined) builder.problem(open, `a block has no end: ${CUT}`);
  for (const { line, text } of malformed) builder.problem(line, `"${text.slice(0, 200)}" is not a directive`);
  for (const { verb, words, line } of directives) {
    if (!VERBS.has(verb))
      builder.problem(
        line,
        `"${[verb, ...words].join(' ').slice(0, 200)}" is not a known directive of go.mod`,
      );
  }
  const of = (verb: string) => directives.filter((one) => one.verb === verb);
  const sum = readCompanion(input, CHECKSUMS, readChecksums);
  const checksums = sum?.modules ?? [];
  const integrities = new Map(checksums.map((one) => [`${one.path}@${one.version}`, one.integrity]));
  const replace = replacerOf(of('replace'), builder);
  const context = { replace, integrities, builder };
  const named = new Set<string>();
  for (const { words, comment, line } of of('require')) {
    const [path = '', version = ''] = words;
    if (words.length !== 2) {
      builder.problem(line, `"${words.join(' ').slice(0, 200)}" is not a module with a version`);
      continue;
    }
    named.add(path);
    // As in Go: the word alone, or the word, a semicolon and any text.
    const direct = !/^indirect(?:$|;)/.test(comment);
    addModule({ path, version, direct, line }, context);
  }
  if (isComplete(of('go'))) return;
  for (const { path, version } of newestOf(checksums)) {
    if (!named.has(path)) addModule({ path, version, direct: false, line: undefined }, context);
  }
  for (const { line, text } of sum?.malformed ?? [])
    builder.problem(undefined, `go.sum:${line}: "${text.slice(0, 200)}" is not \`module version hash\``);
  const lacking = of('require').find(({ words: [path = '', version = ''], line }) => {
    const one = replace({ path, version, line });
    return one.source === undefined && sum?.listed.has(`${one.path}@${one.version}`) === false;
  });
  if (lacking !== undefined)
    builder.problem(undefined, `its go.sum has no line of ${lacking.words.join(' ').slice(0, 200)}: ${CUT}`);
  if (sum === undefined && named.size > 0)
    builder.problem(undefined, 'it names no indirect modules below Go 1.17, and its go.sum was not read');
}

interface Required {
  readonly path: string;
  readonly version: string;
  readonly direct: boolean;
  readonly line: number | undefined;
}

interface Context {
  readonly replace: Replace;
  /** By path and version. */
  readonly integrities: ReadonlyMap<string, ChecksummedModule['integrity']>;
  readonly builder: LockfileBuilder;
}

function addModule(required: Required, { replace, integrities, builder }: Context): void {
  const { path, version: stated, source, line } = replace(required);
  // A branch is valid here; Go replaces it with a version when it runs.
  const version = VERSION.test(stated) ? stated : '';
  if (version === '') {
    builder.problem(
      line,
      `the version of ${path.slice(0, 200)} is "${stated.slice(0, 100)}", which is not a Go version`,
      'unclear',
    );
  }
  const draft = draftPackage({
    ecosystem: 'golang',
    name: path,
    version,
    line,
    direct: required.direct,
    source,
    integrity: source === undefined ? integrities.get(`${path}@${version}`) : undefined,
  });
  builder.add(draft, line, path);
}

/** A go.mod without a `go` directive counts as 1.16. */
function isComplete(versions: readonly Directive[]): boolean {
  // parseInt ignores the suffix of a pre-release: `1.21rc1`.
  const [major = 1, minor = 16] = (versions.at(-1)?.words[0] ?? '1.16')
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  const [wantedMajor = 1, wantedMinor = 17] = COMPLETE_SINCE;
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

/** Go builds the highest of several versions of a module. */
function newestOf(checksums: Iterable<ChecksummedModule>): readonly ChecksummedModule[] {
  const newest = new Map<string, ChecksummedModule>();
  for (const one of checksums) {
    const known = newest.get(one.path);
    if (known === undefined || isNewer(one.version, known.version)) newest.set(one.path, one);
  }
  return [...newest.values()];
}

function isNewer(version: string, other: string): boolean {
  const semver: typeof import('semver') = loadPackage('semver');
  const [left, right] = [semver.parse(version), semver.parse(other)];
  return left !== null && right !== null ? semver.gt(left, right) : version > other;
}

interface Module {
  readonly path: string;
  readonly version: string;
  readonly line: number | undefined;
}

/** Returns the replacement of a module with its line, or the module itself. `source` is set where that is a folder. */
type Replace = (required: Module) => Module & { readonly source?: Source };

/** Reads `replace` directives: `old [version] => new version` or `old [version] => ./folder`. */
function replacerOf(directives: readonly Directive[], builder: LockfileBuilder): Replace {
  const replacements = new Map<string, Module>();
  for (const { words, line } of directives) {
    const arrow = words.indexOf('=>');
    const [old, oldVersion] = words.slice(0, Math.max(arrow, 0));
    const [path, version = ''] = words.slice(arrow + 1);
    if (old === undefined || path === undefined || (version === '' && !isFolder(path))) {
      builder.problem(line, `"${words.join(' ').slice(0, 200)}" is not a replacement`);
      continue;
    }
    replacements.set(keyOf(old, oldVersion), { path, version, line });
  }
  return (required) => {
    const { path, version } = required;
    const found = replacements.get(keyOf(path, version)) ?? replacements.get(keyOf(path, undefined));
    if (found === undefined) return required;
    return isFolder(found.path)
      ? { path, version, line: found.line, source: { kind: 'path', path: found.path } }
      : found;
  };
}

function keyOf(path: string, version: string | undefined): string {
  return `${path}@${version ?? ''}`;
}

/** Go recognises folders by these prefixes. */
function isFolder(path: string): boolean {
  return /^(?:\.{1,2}(?:[/\\]|$)|\/|[A-Za-z]:[/\\])/.test(path);
}
