import Range from 'semver/classes/range.js';
import type SemVer from 'semver/classes/semver.js';
import parse from 'semver/functions/parse.js';
import { smallerNumbers } from './numbers.ts';

/** npm reads versions that older releases wrote with small faults. */
const LOOSE = { loose: true };

export function isSemantic(version: string): boolean {
  return parse(comparable([version])[0], LOOSE) !== null;
}

/** Build metadata has no order. Throws `RangeError` for a version that is not valid. */
export function compareSemantic(left: string, right: string): number {
  const [one = left, other = right] = comparable([left, right]);
  return semanticOf(one).compare(semanticOf(other));
}

export function isSemanticPrerelease(version: string): boolean {
  return semanticOf(comparable([version])[0] ?? version).prerelease.length > 0;
}

/** The part of a version that a caret requirement keeps: `1`, `0.3`, `0.0.7`. Throws `RangeError` for a version that is not valid. */
export function caretLine(version: string): string {
  const [, ...numbers] = /(?<!\d)(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  if (numbers.length === 0) throw new RangeError(`not a semantic version: ${version}`);
  const [major, minor, patch] = numbers.map(BigInt);
  if (major !== 0n) return String(major);
  return minor === 0n ? `0.0.${patch}` : `0.${minor}`;
}

/** Equal by order, and in build metadata where the wanted version has some. */
export function isSameSemantic(version: string, wanted: string): boolean {
  const [, build] = /\+(.*)$/s.exec(wanted) ?? [];
  return compareSemantic(version, wanted) === 0 && (build === undefined || version.endsWith(`+${build}`));
}

interface RangeOptions {
  /** Whether pre-releases between the bounds belong to the range, as they do by the order. npm leaves them out. */
  readonly includePrerelease?: boolean;
}

export function isSemanticRange(range: string, options?: RangeOptions): boolean {
  return rangeOf(comparable([range])[0] ?? range, options) !== undefined;
}

/** `undefined` when the text is not a range. Throws `RangeError` for a version that is not valid. */
export function inSemanticRange(version: string, range: string, options?: RangeOptions): boolean | undefined {
  const [own = version, wanted = range] = comparable([version, range]);
  return rangeOf(wanted, options)?.test(semanticOf(own));
}

function semanticOf(version: string): SemVer {
  const parsed = parse(version, LOOSE);
  if (parsed === null) throw new RangeError(`not a semantic version: ${version}`);
  return parsed;
}

function rangeOf(text: string, { includePrerelease = false }: RangeOptions = {}): Range | undefined {
  try {
    return new Range(text, { ...LOOSE, includePrerelease });
  } catch {
    return undefined;
  }
}

/** The numbers of a version in a text, its pre-release, and its build metadata. */
const WORD = /([^\s|,+-]*)(-[^\s|,+]*)?(\+[^\s|,]*)?/g;

/**
 * The texts with numbers that node-semver compares exactly; it refuses larger ones, which Go, Cargo and the specification permit, or
 * rounds them. An identifier with letters has no number, and build metadata stays as it is.
 */
function comparable(texts: readonly string[]): readonly string[] {
  const smaller = smallerNumbers(texts);
  if (smaller === undefined) return texts;
  const identifier = (text: string) => (/^\d+$/.test(text) ? smaller(text) : text);
  return texts.map((text) =>
    text.replaceAll(WORD, (_word, numbers: string, prerelease = '', build = '') => {
      const identifiers = prerelease.slice(1).split('.').map(identifier).join('.');
      return `${numbers.replaceAll(/\d{16,}/g, smaller)}${prerelease.slice(0, 1)}${identifiers}${build}`;
    }),
  );
}
