import { systemOf } from '../model/lockfile/ecosystem.ts';
import { type Interval, inIntervals } from './intervals.ts';
import { schemeOf } from './scheme.ts';
import type { VersionScheme } from './version-scheme.ts';

/** The versions that a range of the VERS specification selects, by the order of their ecosystem. */
export interface VersRange {
  /** The intervals in the order of their versions; none overlaps another. */
  readonly intervals: readonly Interval[];
  /** Versions inside of an interval that the range does not contain. */
  readonly excluded: readonly string[];
  readonly scheme: VersionScheme;
}

const MAX_LENGTH = 2_000;
/** `semver` is the type for everything that has semantic versions. */
const SEMANTIC_ECOSYSTEMS: readonly string[] = ['npm', 'cargo', 'golang'];

const RANGE = /^vers:([a-z][a-z0-9.-]*)\/(.+)$/;
const CONSTRAINT = /^(>=|<=|!=|<|>)?((?:[^\s<>=!*%]|%[0-9A-Fa-f]{2})+)$/;

interface Constraint {
  readonly comparator: string;
  readonly version: string;
}

export function isVers(text: string): boolean {
  return text.startsWith('vers:');
}

/**
 * Reads `vers:npm/>=1.0.0|<2.0.0` (https://github.com/package-url/vers-spec) for the versions of an ecosystem. What the specification does
 * not permit (white space, other orders, versions that occur twice, contradictions) is refused and not corrected. Returns why as a string.
 */
export function readVers(text: string, ecosystem: string): VersRange | string {
  const refused = (reason: string) => `"${text.slice(0, 200)}" ${reason}`;
  const system = systemOf(ecosystem);
  if (system === undefined) return refused(`is a range, and versions of ${ecosystem} have no known order`);
  if (text.length > MAX_LENGTH) return refused(`is longer than ${MAX_LENGTH} characters`);
  const [, type = '', constraints = ''] = RANGE.exec(text) ?? [];
  if (type === '') return refused('is not a range such as `vers:npm/>=1.0.0|<2.0.0`');
  if (type !== ecosystem && !(type === 'semver' && SEMANTIC_ECOSYSTEMS.includes(ecosystem))) {
    return refused(`is not a range of ${ecosystem}`);
  }
  const scheme = schemeOf(system);
  if (constraints === '*') return { intervals: [{}], excluded: [], scheme };
  const read = readConstraints(constraints.split('|'), scheme);
  if (typeof read === 'string') return refused(read);
  const intervals = intervalsOf(read.filter(({ comparator }) => comparator !== '!='));
  if (intervals === undefined) return refused('has constraints that contradict or repeat each other');
  if (intervals.length === 0) return refused('selects no versions');
  const excluded = read.filter(({ comparator }) => comparator === '!=').map(({ version }) => version);
  return { intervals, excluded, scheme };
}

/** The constraints in their order, which is that of their versions; or why they are not valid. */
function readConstraints(parts: readonly string[], scheme: VersionScheme): readonly Constraint[] | string {
  const read: Constraint[] = [];
  for (const part of parts) {
    const constraint = readConstraint(part);
    if (constraint === undefined) return `has the constraint "${part}", which is not valid`;
    const { version } = constraint;
    if (!scheme.isValid(version)) return `has "${version}", which is not a version of the ecosystem`;
    const last = read.at(-1);
    const order = last === undefined ? -1 : scheme.compare(last.version, version);
    if (order === 0) return `names ${version} twice`;
    if (order > 0) return 'is not sorted by version';
    read.push(constraint);
  }
  return read;
}

function readConstraint(text: string): Constraint | undefined {
  const [, comparator = '', encoded = ''] = CONSTRAINT.exec(text) ?? [];
  try {
    const version = decodeURIComponent(encoded);
    return version === '' ? undefined : { comparator, version };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** `undefined` when the bounds do not alternate: only the first may be an upper one without a lower one before it. */
function intervalsOf(constraints: readonly Constraint[]): readonly Interval[] | undefined {
  const intervals: Interval[] = [];
  let lower: Interval['lower'];
  for (const [at, { comparator, version }] of constraints.entries()) {
    const bound = { version, inclusive: !/^[<>]$/.test(comparator) };
    if (comparator.startsWith('<')) {
      if (lower === undefined && at > 0) return undefined;
      intervals.push({ lower, upper: bound });
      lower = undefined;
    } else if (lower !== undefined) return undefined;
    else if (comparator === '') intervals.push({ lower: bound, upper: bound });
    else lower = bound;
  }
  return lower === undefined ? intervals : [...intervals, { lower }];
}

/** Versions that the ecosystem cannot read are in no range. */
export function isInVers(version: string, { intervals, excluded, scheme }: VersRange): boolean {
  if (!scheme.isValid(version)) return false;
  if (excluded.some((one) => scheme.compare(one, version) === 0)) return false;
  return inIntervals(version, intervals, scheme.compare);
}
