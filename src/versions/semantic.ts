import Range from 'semver/classes/range.js';
import type SemVer from 'semver/classes/semver.js';
import parse from 'semver/functions/parse.js';

/** npm reads versions that older releases wrote with small faults. */
const LOOSE = { loose: true };

export function parseSemantic(version: string): SemVer | null {
  return parse(version, LOOSE);
}

/** The parsed version. Throws `RangeError` for a version that is not valid. */
export function semanticOf(version: string): SemVer {
  const parsed = parseSemantic(version);
  if (parsed === null) throw new RangeError(`not a semantic version: ${version}`);
  return parsed;
}

/** Build metadata has no order. */
export function compareSemantic(left: string, right: string): number {
  return semanticOf(left).compare(semanticOf(right));
}

export function isSemanticPrerelease(version: string): boolean {
  return semanticOf(version).prerelease.length > 0;
}

/** The part of a version that a caret requirement keeps: `1`, `0.3`, `0.0.7`. */
export function caretLine(version: string): string {
  const { major, minor, patch } = semanticOf(version);
  if (major > 0) return String(major);
  return minor > 0 ? `0.${minor}` : `0.0.${patch}`;
}

/** Requirements repeat: most packages of a lockfile share a few hundred. */
const ranges = new Map<string, Range | undefined>();
const MAX_RANGES = 10_000;

/** `undefined` when the text is not a range. */
export function semanticRange(text: string): Range | undefined {
  if (!ranges.has(text)) {
    if (ranges.size >= MAX_RANGES) ranges.clear();
    ranges.set(text, parseRange(text));
  }
  return ranges.get(text);
}

function parseRange(text: string): Range | undefined {
  try {
    return new Range(text, LOOSE);
  } catch {
    return undefined;
  }
}
