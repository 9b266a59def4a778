import type { NewRequirement, Release } from '../../model/signal/release-facts.ts';
import { type Detector, datedReleases, LIST, spanOf, type Trace } from './detector.ts';

const DAY_MS = 24 * 3_600_000;
/** A required package that is younger than this when it is required for the first time. */
const YOUNG_PACKAGE_MS = 7 * DAY_MS;

const RANK = ['address', 'package', 'unknown', 'scope'];

/**
 * The version requires, for the first time in its line, a package that was itself published days before at most, or something that is
 * no registry version. Packages of the same npm scope belong together, which only the owner of the scope can bring about.
 */
export const youngRequirement: Detector = {
  name: 'young-requirement',
  title: 'A locked version requires a package that is days old',
  description:
    'The version requires, for the first time, a package that is days old, or something that is no registry version.',
  help: {
    means:
      'the version requires, for the first time, a package that was first published within the seven ' +
      'days before it, or something that is no registry version: a commit, a URL. Compared is the ' +
      'last version of the line that is a day older, because an attacker may publish several in a ' +
      'row. Read from the requirements (npm, Maven, NuGet, RubyGems) or the resolved graph (Cargo, ' +
      'PyPI).',
    sure:
      'the strongest mark of the incidents on record; honest releases do it when they split a ' + 'package.',
    todo: 'look at the new package before anything else.',
  },
  points: { address: 3, package: 3, unknown: 2, scope: 1 },
  reads: LIST,
  detect({ key, at, releases, newRequirements = [], comparedWith }) {
    if (comparedWith === undefined) return undefined;
    const publishedAt = releases.find(({ version }) => version === key.version)?.publishedAt ?? at;
    const found = newRequirements.flatMap((one) => {
      const trace = traceOf(one, key.name, publishedAt);
      return trace === undefined ? [] : [{ one, trace }];
    });
    found.sort((left, right) => rankOf(left.trace) - rankOf(right.trace));
    const [first, ...others] = found;
    if (first === undefined) return undefined;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return { ...first.trace, text: `${first.trace.text}${more}; ${comparedWith} did not require it` };
  },
};

function rankOf({ grade = '' }: Trace): number {
  return RANK.indexOf(grade);
}

function traceOf(one: NewRequirement, requiredBy: string, publishedAt: number): Trace | undefined {
  const { name, requirement } = one;
  if (isAddress(requirement)) {
    const address = requirement.length > 100 ? `${requirement.slice(0, 99)}…` : requirement;
    return { grade: 'address', text: `requires ${name} from ${address}, which is no registry version` };
  }
  if (!('releases' in one)) return undefined;
  if (one.releases === undefined) {
    return { grade: 'unknown', text: `requires ${name}, which the index does not have` };
  }
  const first = firstPublished(one.releases);
  if (first === undefined || publishedAt - first > YOUNG_PACKAGE_MS) return undefined;
  const age =
    first >= publishedAt
      ? 'which was first published after it'
      : `which was first published ${spanOf(publishedAt - first)} before it`;
  const grade = scopeOf(name) !== '' && scopeOf(name) === scopeOf(requiredBy) ? 'scope' : 'package';
  return { grade, text: `requires ${name}, ${age}` };
}

/** Something that is fetched from an address, and not from a registry by its version. */
export function isAddress(requirement: string): boolean {
  return /^(?:git[+:@]|git$|https?:|ssh:|github:|gitlab:|bitbucket:|gist:|file:|link:)|^[\w.-]+\/[\w.-]+(?:#.*)?$/i.test(
    requirement.trim(),
  );
}

function firstPublished(releases: readonly Release[]): number | undefined {
  const times = releases.flatMap(({ publishedAt }) => publishedAt ?? []);
  // A package whose versions are all pre-releases has a first one as well.
  return datedReleases(releases)[0] === undefined && times.length === 0 ? undefined : Math.min(...times);
}

function scopeOf(name: string): string {
  return name.startsWith('@') ? name.slice(0, name.indexOf('/')) : '';
}
