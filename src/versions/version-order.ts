import { systemOf } from '../model/lockfile/ecosystem.ts';
import { schemeOf } from './scheme.ts';

/**
 * The order of two versions of an ecosystem: negative, zero or positive; `undefined` when a text is no version there. Ecosystems
 * without an order of their own are compared number by number.
 */
export function versionOrder(ecosystem: string, left: string, right: string): number | undefined {
  if (left === '' || right === '') return undefined;
  const system = systemOf(ecosystem);
  if (system === undefined) return plainOrder(left, right);
  const { isValid, compare } = schemeOf(system);
  return isValid(left) && isValid(right) ? compare(left, right) : undefined;
}

/** Qualifiers that come before the release. */
const EARLIER = /^(?:a|alpha|b|beta|m|milestone|rc|cr|pre|preview|dev|snapshot|nightly|canary|ea)/i;

function plainOrder(left: string, right: string): number | undefined {
  const [one, other] = [partsOf(left), partsOf(right)];
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const order = comparePart(one[at], other[at]);
    if (order !== 0) return order;
  }
  return left === right ? 0 : undefined;
}

/** Numbers and words of a version, without build metadata. */
function partsOf(version: string): readonly string[] {
  return version.replace(/\+.*$/s, '').match(/\d+|[a-z]+/gi) ?? [];
}

function comparePart(left = '', right = ''): number {
  const [one, other] = [weightOf(left), weightOf(right)];
  if (one !== other) return one - other;
  if (one !== NUMBER) return compareText(left.toLowerCase(), right.toLowerCase());
  // Not as numbers: a version may have more digits than those can hold.
  const [digits, otherDigits] = [left.replace(/^0+/, ''), right.replace(/^0+/, '')];
  return digits.length - otherDigits.length || compareText(digits, otherDigits);
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const NUMBER = 2;

/** Prereleases, then further words such as `jre`, then numbers; a part that is missing is the number 0. */
function weightOf(part: string): number {
  if (part === '' || /^\d/.test(part)) return NUMBER;
  return EARLIER.test(part) ? 0 : 1;
}
