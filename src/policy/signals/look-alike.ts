import { distance } from 'fastest-levenshtein';
import type { SimilarPackage } from '../../model/signal/release-facts.ts';
import { type Detector, releaseAmong, spanOf } from './detector.ts';

const YOUNG_MS = 90 * 24 * 3_600_000;
/** More dependents than these are a sign that a package is known. */
export const FEW_DEPENDENTS = 5;
/** How much more a package is used than one that may imitate it. */
const RATIO = 100;

export const lookAlike: Detector = {
  name: 'look-alike',
  title: 'A package is named like one that is used far more',
  description: 'A new direct package that is hardly used has a name like one that is used far more.',
  help: {
    means:
      'a direct dependency that a target added, hardly used, beside a far more used package with a ' +
      'similar name. `near`: the names differ by a letter or two, by separators, by the order of ' +
      'their parts, or in the owner of the same name. Where the index itself names similar packages that ' +
      'are used more (`LOW_USAGE`), these count.',
    sure: 'sure enough to look.',
    todo: 'check that the name is the one you meant.',
  },
  points: { 'near-young': 4, near: 2, far: 1 },
  detect({ key, at, isNewDirect = false, releases, similar: known = [], dependents, serviceFindings = [] }) {
    if (!isNewDirect) return undefined;
    const named = serviceFindings.find(({ type }) => type === 'LOW_USAGE')?.alternatives ?? [];
    const similar = [...named.map((name): SimilarPackage => ({ name })), ...known];
    const first = Math.min(...releases.flatMap(({ publishedAt }) => publishedAt ?? []));
    const reference = releaseAmong(releases, key.version)?.locked.publishedAt ?? at;
    const isYoung = Number.isFinite(first) && reference - first <= YOUNG_MS;
    const isUnused = (dependents ?? 0) <= FEW_DEPENDENTS;
    if (!isUnused || (!isYoung && dependents === undefined && named.length === 0)) return undefined;
    const used = similar.filter((one) => one.isUnknown !== true && isFarMoreUsed(one.dependents, dependents));
    const near = used.find((one) => areNear(key.name, one.name));
    const model = near ?? used[0];
    if (model === undefined) return undefined;
    const age = isYoung ? `was first published ${spanOf(Math.max(1, at - first))} ago` : 'is hardly used';
    const usage = usageOf(dependents, model, named);
    return {
      grade: near === undefined ? 'far' : isYoung ? 'near-young' : 'near',
      text: `has a name like ${model.name} and ${age}${usage}`,
    };
  },
};

/** How much both are used, by what the index counts or says. */
function usageOf(
  own: number | undefined,
  { name, dependents }: SimilarPackage,
  named: readonly string[],
): string {
  if (named.includes(name)) return '; the index names it as the one that is used more';
  return own === undefined ? '' : `; it is required by ${own} packages, and ${name} by ${dependents}`;
}

/** When the index counts no dependents, its list of similar names takes popularity into account. */
function isFarMoreUsed(other: number | undefined, own: number | undefined): boolean {
  return other === undefined || own === undefined || other >= RATIO * Math.max(1, own);
}

/** Whether one name can be taken for the other. */
export function areNear(left: string, right: string): boolean {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  if (a.replaceAll(/[-_.]/g, '') === b.replaceAll(/[-_.]/g, '')) return true;
  const [partsA, partsB] = [a.split(/[/:]/), b.split(/[/:]/)];
  if (partsA.length !== partsB.length) return false;
  const differing = partsA.flatMap((part, index) =>
    part === partsB[index] ? [] : [[part, partsB[index] ?? ''] as const],
  );
  if (differing.length !== 1) return false;
  const [[one, other] = ['', '']] = differing;
  // In `group:artifact` and `host/owner/name`, what differs is the owner of the same name.
  return partsA.length > 1 ? areNearOwners(one, other) : areNearWords(one, other);
}

function areNearWords(one: string, other: string): boolean {
  const allowed = Math.min(one.length, other.length) >= 8 ? 2 : 1;
  if (Math.min(one.length, other.length) >= 4 && distance(one, other) <= allowed) return true;
  const words = (name: string) => name.split(/[-_.]/).sort().join('-');
  return words(one) === words(other);
}

function areNearOwners(one: string, other: string): boolean {
  if (areNearWords(one, other) || one.startsWith(other) || other.startsWith(one)) return true;
  // `org.example` and `com.example`.
  const rest = (name: string) => name.split('.').slice(1).join('.');
  return rest(one) !== '' && rest(one) === rest(other);
}
