import { compareNumbers, numbersOf } from './numbers.ts';
import type { VersionScheme } from './version-scheme.ts';

/** PyPI: PEP 440. Poetry's caret and tilde requirements are translated. */
export const python: VersionScheme = {
  isValid: (version) => parsePython(version) !== undefined,
  compare: (left, right) => comparePython(versionOf(left), versionOf(right)),
  isPrerelease: (version) => isPythonPrerelease(versionOf(version)),
  line: (version) => releaseOf(version)[0] ?? '',
  satisfies(version, requirement) {
    let permitted = false;
    for (const alternative of requirement.split('||')) {
      const text = specifiers(alternative.trim());
      const holds = text === '' ? () => true : pythonSpecifiers(text);
      if (holds === undefined) return undefined;
      permitted ||= holds(version);
    }
    return permitted;
  },
};

function versionOf(text: string): PythonVersion {
  const parsed = parsePython(text);
  if (parsed === undefined) throw new RangeError(`not a version of PEP 440: ${text}`);
  return parsed;
}

/** The requirement as specifiers of PEP 440; empty when it permits every version. */
function specifiers(requirement: string): string {
  const parts = requirement.replace(/^\((.*)\)$/, '$1').split(',');
  return parts
    .map((part) => poetryPart(part.trim()))
    .filter((part) => part !== '')
    .join(',');
}

/** Poetry: `^1.2`, `~1.2`, `1.2.*`, `*`, and a bare version, which has to be equal. */
function poetryPart(part: string): string {
  if (part === '' || part === '*') return '';
  const version = part.slice(1).trim();
  if (part.startsWith('^')) return `>=${version},<${caretBound(releaseOf(version))}`;
  if (part.startsWith('~') && !part.startsWith('~='))
    return `>=${version},<${tildeBound(releaseOf(version))}`;
  return /^\d/.test(part) ? `==${part}` : part;
}

/** The first number that is not 0, or the last one, may not change. */
function caretBound(release: readonly string[]): string {
  const first = release.findIndex((number) => BigInt(number) > 0n);
  return increased(release, first === -1 ? release.length - 1 : first);
}

/** The minor version may not change, or the major version where there is no minor one. */
function tildeBound(release: readonly string[]): string {
  return increased(release, release.length > 1 ? 1 : 0);
}

function increased(release: readonly string[], at: number): string {
  return [...release.slice(0, at), String(BigInt(release[at] ?? 0) + 1n)].join('.');
}

function releaseOf(version: string): readonly string[] {
  return /^v?(?:\d+!)?([\d.]+)/.exec(version)?.[1]?.split('.').filter(Boolean) ?? [];
}

/** A version by PEP 440 (https://packaging.python.org/en/latest/specifications/version-specifiers/). */
export interface PythonVersion {
  readonly epoch: bigint;
  readonly release: readonly bigint[];
  /** The phase (0: `a`, 1: `b`, 2: `rc`) and its number. */
  readonly pre: readonly [bigint, bigint] | undefined;
  readonly post: bigint | undefined;
  readonly dev: bigint | undefined;
  readonly local: readonly (bigint | string)[] | undefined;
}

const VERSION = new RegExp(
  [
    /^v?(?:(?<epoch>\d+)!)?(?<release>\d+(?:\.\d+)*)/,
    /(?:[-_.]?(?<phase>alpha|beta|preview|pre|a|b|c|rc)[-_.]?(?<pre>\d+)?)?/,
    /(?<isPost>-(?<implicit>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?<post>\d+)?)?/,
    /(?<isDev>[-_.]?dev[-_.]?(?<dev>\d+)?)?/,
    /(?:\+(?<local>[a-z\d]+(?:[-_.][a-z\d]+)*))?$/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
);

const PHASES: Readonly<Record<string, bigint>> = { a: 0n, b: 1n };

/** `undefined` for a text that is not a version. */
export function parsePython(text: string): PythonVersion | undefined {
  const { groups } = VERSION.exec(text) ?? {};
  if (groups === undefined) return undefined;
  const { epoch = '0', release = '0', phase, pre = '0', isPost, implicit, post, isDev, dev, local } = groups;
  const letter = phase?.toLowerCase().replace(/^([ab]).*/, '$1') ?? '';
  return {
    epoch: BigInt(epoch),
    release: numbersOf(release),
    pre: phase === undefined ? undefined : [PHASES[letter] ?? 2n, BigInt(pre)],
    post: isPost === undefined ? undefined : BigInt(implicit ?? post ?? '0'),
    dev: isDev === undefined ? undefined : BigInt(dev ?? '0'),
    local: local
      ?.toLowerCase()
      .split(/[-_.]/)
      .map((part) => (/^\d+$/.test(part) ? BigInt(part) : part)),
  };
}

export function comparePython(left: PythonVersion, right: PythonVersion): number {
  return comparePublic(left, right) || compareLocal(left.local, right.local);
}

function comparePublic(left: PythonVersion, right: PythonVersion): number {
  return (
    compareNumbers([left.epoch], [right.epoch]) ||
    compareNumbers(left.release, right.release) ||
    compareNumbers(suffixOf(left), suffixOf(right))
  );
}

/** A development release comes before pre-releases, a release after them, and post-releases last. */
function suffixOf({ pre, post, dev }: PythonVersion): readonly bigint[] {
  const isOnlyDev = post === undefined && dev !== undefined;
  const phase = pre ?? [isOnlyDev ? -1n : 3n, 0n];
  return [...phase, post ?? -1n, dev === undefined ? 1n : 0n, dev ?? 0n];
}

/** A version without a local part comes first. Letters come before numbers, and a list comes before a longer one that begins with it. */
function compareLocal(left: PythonVersion['local'], right: PythonVersion['local']): number {
  const [own, its] = [left ?? [], right ?? []];
  for (const [at, one] of own.entries()) {
    const other = its[at];
    if (other === undefined) return 1;
    if (one === other) continue;
    if (typeof one !== typeof other) return typeof one === 'string' ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return own.length === its.length ? 0 : -1;
}

const SPECIFIER = /^(===|~=|==|!=|<=|>=|<|>)\s*(\S+?)(\.\*)?$/;

/**
 * Reads specifiers such as `>=1.0,!=1.5,<2`. Pre-releases that are between the bounds are included. Returns `undefined` for another text; the
 * function throws `RangeError` for a version that is not valid.
 */
export function pythonSpecifiers(text: string): ((version: string) => boolean) | undefined {
  const read = text.split(',').map((part) => specifier(part.trim()));
  if (!read.every((one) => one !== undefined)) return undefined;
  return (version) => {
    const parsed = parsePython(version);
    if (parsed === undefined) throw new RangeError(`not a version of PEP 440: ${version}`);
    return read.every((holds) => holds(parsed, version));
  };
}

type Holds = (version: PythonVersion, text: string) => boolean;

function specifier(text: string): Holds | undefined {
  const [, operator = '', written = '', prefix] = SPECIFIER.exec(text) ?? [];
  if (operator === '===') {
    const wanted = `${written}${prefix ?? ''}`.toLowerCase();
    return (_version, own) => own.toLowerCase() === wanted;
  }
  const bound = parsePython(written);
  if (bound === undefined) return undefined;
  const isEquality = operator === '==' || operator === '!=';
  if (bound.local !== undefined && !isEquality) return undefined;
  if (prefix === undefined) return comparison(operator, bound);
  const hasSuffix = [bound.pre, bound.post, bound.dev, bound.local].some((part) => part !== undefined);
  if (!isEquality || hasSuffix) return undefined;
  return (version) => startsWith(version, bound.epoch, bound.release) === (operator === '==');
}

function comparison(operator: string, bound: PythonVersion): Holds | undefined {
  switch (operator) {
    case '==':
      return (version) => isEqual(version, bound);
    case '!=':
      return (version) => !isEqual(version, bound);
    case '>=':
      return (version) => comparePublic(version, bound) >= 0;
    case '<=':
      return (version) => comparePublic(version, bound) <= 0;
    case '<':
      return (version) => isBefore(version, bound);
    case '>':
      return (version) => isAfter(version, bound);
    default:
      if (bound.release.length < 2) return undefined;
      return (version) =>
        comparePublic(version, bound) >= 0 && startsWith(version, bound.epoch, bound.release.slice(0, -1));
  }
}

/** A specifier without a local version permits any. */
function isEqual(version: PythonVersion, bound: PythonVersion): boolean {
  return (bound.local === undefined ? comparePublic : comparePython)(version, bound) === 0;
}

/** `<2` does not permit `2rc1`, and `<2rc2` does. */
function isBefore(version: PythonVersion, bound: PythonVersion): boolean {
  if (comparePublic(version, bound) >= 0) return false;
  if (isPythonPrerelease(bound) || !isPythonPrerelease(version)) return true;
  return comparePublic(version, { ...bound, dev: 0n }) < 0;
}

/** `>2` permits neither `2.post1` nor `2+local`, and `>2.post1` permits `2.post2`. */
function isAfter(version: PythonVersion, bound: PythonVersion): boolean {
  if (comparePublic(version, bound) <= 0) return false;
  if (bound.post !== undefined || version.post === undefined) return true;
  return comparePublic({ ...version, post: undefined, dev: undefined }, bound) !== 0;
}

function startsWith({ epoch, release }: PythonVersion, wanted: bigint, numbers: readonly bigint[]): boolean {
  return epoch === wanted && numbers.every((number, at) => (release[at] ?? 0n) === number);
}

export function isPythonPrerelease({ pre, dev }: PythonVersion): boolean {
  return pre !== undefined || dev !== undefined;
}
