import { loadPackage } from '../../model/load-package.ts';
import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';
import { type ChecksummedModule, readChecksums } from '../go-sum/checksums.ts';
import { draftPackage } from '../packages/package-draft.ts';
import { Reading } from '../reading.ts';
import { decodeText } from '../syntax/decode-text.ts';
import { type Directive, readDirectives } from './directives.ts';
import { replacerOf } from './replacements.ts';

const VERSION = /^v\d+\.\d+\.\d+/;
const VERBS: ReadonlySet<string> = new Set([
  ...['module', 'go', 'toolchain', 'godebug', 'require', 'exclude', 'replace', 'retract', 'tool', 'ignore'],
]);
/** From Go 1.17 on, go.mod names every module that the build needs. */
const COMPLETE_SINCE = [1, 17];

/** Reads the modules of a go.mod, as they are after `replace`. */
export function readModules(input: LockfileInput) {
  const reading = new Reading();
  const { directives, malformed } = readDirectives(input.text);
  const of = (verb: string) => directives.filter((one) => one.verb === verb);
  if (!directives.some(({ verb }) => VERBS.has(verb))) {
    throw new LockfileError('wrong-format', `${input.path}: no directive of a go.mod in it`);
  }
  for (const { line, text } of malformed) reading.problem(line, `"${text.slice(0, 200)}" is no directive`);
  for (const { verb, words, line } of directives) {
    if (!VERBS.has(verb))
      reading.problem(line, `"${[verb, ...words].join(' ').slice(0, 200)}" is no directive that go.mod has`);
  }
  const checksums = checksumsBeside(input);
  const replaced = replacerOf(of('replace'), (line, message) => reading.problem(line, message));
  const named = new Set<string>();
  for (const directive of of('require')) {
    const { words, comment, line } = directive;
    const [path = '', version = ''] = words;
    if (words.length !== 2) {
      reading.problem(line, `"${words.join(' ').slice(0, 200)}" is no module with a version`);
      continue;
    }
    named.add(path);
    // As Go itself tells: the word alone, or followed by a semicolon and anything.
    const direct = !/^indirect(?:$|;)/.test(comment);
    takeModule({ path, version, direct, line }, { replaced, checksums, reading });
  }
  if (!isComplete(of('go'))) {
    for (const { path, version } of newestOf(checksums.values())) {
      if (!named.has(path))
        takeModule({ path, version, direct: false, line: undefined }, { replaced, checksums, reading });
    }
  }
  return reading.result();
}

interface Required {
  readonly path: string;
  readonly version: string;
  readonly direct: boolean;
  readonly line: number | undefined;
}

interface Context {
  readonly replaced: ReturnType<typeof replacerOf>;
  /** By path and version. */
  readonly checksums: ReadonlyMap<string, ChecksummedModule>;
  readonly reading: Reading;
}

function takeModule(required: Required, { replaced, checksums, reading }: Context): void {
  const { path, version: stated, source, line } = replaced(required);
  // Go takes a branch there, and writes the version in its place as soon as it runs.
  const version = VERSION.test(stated) ? stated : '';
  if (version === '')
    reading.problem(
      line,
      `the version of ${path.slice(0, 200)} is "${stated.slice(0, 100)}", which is none of Go's`,
      'unclear',
    );
  const known = checksums.get(`${path}@${version}`);
  const draft = draftPackage({
    ecosystem: 'golang',
    name: path,
    version,
    line,
    direct: required.direct,
    ...(source === undefined ? { integrity: known?.integrity ?? [] } : { source }),
  });
  reading.take(draft, line, path);
}

function checksumsBeside(input: LockfileInput): ReadonlyMap<string, ChecksummedModule> {
  const content = input.sibling?.('go.sum');
  if (content === undefined) return new Map();
  try {
    const { modules } = readChecksums(decodeText(content, 'go.sum'));
    return new Map(modules.map((one) => [`${one.path}@${one.version}`, one]));
  } catch (error) {
    // A companion is a help, not a need.
    if (error instanceof LockfileError) return new Map();
    throw error;
  }
}

/** A go.mod without a `go` line counts as 1.16. */
function isComplete(versions: readonly Directive[]): boolean {
  const [major = 1, minor = 16] = (versions.at(-1)?.words[0] ?? '1.16')
    .split('.')
    // A pre-release counts as its release: `1.21rc1`.
    .map((part) => Number.parseInt(part, 10));
  const [wantedMajor = 1, wantedMinor = 17] = COMPLETE_SINCE;
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

/** Of several versions of a module, Go builds the highest. */
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
