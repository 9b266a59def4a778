import { compareNumbers } from './numbers.ts';
import type { VersionScheme } from './version-scheme.ts';

const VERSION = /^\d+(?:\.[\da-z]+)*(?:-[\da-z-]+(?:\.[\da-z-]+)*)?$/i;
const REQUIREMENT = /^(=|!=|>=|<=|~>|>|<)?\s*(\S+)$/;
/** Builds for a platform; their names are those of `Gem::Platform`. */
const PLATFORM =
  /-(?:java|jruby|ruby|dalvik|dotnet|universal|x86|x64|i\d86|arm|aarch64|powerpc|ppc|s390|sparc|riscv|loongarch|mips|mswin|mingw).*$/s;

type Segment = bigint | string;

/** RubyGems: `Gem::Version`. A platform after the version (`1.2.3-x86_64-linux`) names a build and has no order. */
export const ruby: VersionScheme = {
  isValid: (version) => VERSION.test(plain(version)),
  compare: (left, right) => compareSegments(segmentsOf(left), segmentsOf(right)),
  isPrerelease: (version) => /[a-z]/i.test(plain(version)) || plain(version).includes('-'),
  line: (version) => /^\d+/.exec(version)?.[0] ?? '',
  satisfies(version, requirement) {
    const parts = requirement.split(',').map((part) => REQUIREMENT.exec(part.trim()));
    if (!parts.every((part) => part !== null && VERSION.test(part[2] ?? ''))) return undefined;
    return parts.every((part) => holds(version, part?.[1] ?? '=', part?.[2] ?? ''));
  },
};

function holds(version: string, operator: string, bound: string): boolean {
  const order = ruby.compare(version, bound);
  switch (operator) {
    case '!=':
      return order !== 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '~>':
      return order >= 0 && compareNumbers(releaseOf(version), bumped(releaseOf(bound))) < 0;
    default:
      return order === 0;
  }
}

/** The number before the last one is increased: `1.2.3` becomes `1.3`. */
function bumped(release: readonly bigint[]): readonly bigint[] {
  const kept = release.length > 1 ? release.slice(0, -1) : release;
  return kept.with(-1, (kept.at(-1) ?? 0n) + 1n);
}

/** The numbers before the first letter. */
function releaseOf(version: string): readonly bigint[] {
  const segments = split(version);
  const end = segments.findIndex((one) => typeof one === 'string');
  return (end === -1 ? segments : segments.slice(0, end)) as readonly bigint[];
}

function split(version: string): readonly Segment[] {
  const found =
    plain(version)
      .replaceAll('-', '.pre.')
      .match(/\d+|[a-z]+/gi) ?? [];
  return found.map((text) => (/^\d/.test(text) ? BigInt(text) : text));
}

/** Zeros at the end mean nothing, and neither do those before the first letter: `1.0.a` is `1.a`. */
function segmentsOf(version: string): readonly Segment[] {
  const segments = split(version);
  const release = releaseOf(version);
  return [...withoutZeros(release), ...withoutZeros(segments.slice(release.length))];
}

function withoutZeros(segments: readonly Segment[]): readonly Segment[] {
  return segments.slice(0, segments.findLastIndex((one) => one !== 0n) + 1);
}

/** A missing segment is 0; letters come before numbers, and by their character codes. */
function compareSegments(left: readonly Segment[], right: readonly Segment[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [one, other] = [left[at] ?? 0n, right[at] ?? 0n];
    if (one === other) continue;
    if (typeof one !== typeof other) return typeof one === 'string' ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

function plain(version: string): string {
  return version.replace(PLATFORM, '');
}
