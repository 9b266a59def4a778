import type { Suppression } from '../../../model/scan/suppression.ts';
import { isInVers, readVers, type VersRange, versOverlap } from '../../../versions/vers.ts';

type PackageScope = NonNullable<Suppression['package']>;

/** What a CycloneDX document says of one version, or of a range of them (VERS). */
interface Statement {
  readonly version?: string | undefined;
  readonly range?: string | undefined;
  readonly status: 'affected' | 'unaffected' | 'unknown';
}

/** More ranges of one component than a person can have checked; each is compared with each other one. */
const MAX_RANGES = 100;

/** The versions that a statement is about: a range, one version, or why they cannot be known. */
type Stated = VersRange | { readonly version: string } | string;

/**
 * The versions of a package that a document calls unaffected. A text says why a statement is not applied: the stricter reading counts where a
 * version is also called affected or unknown, or may be, because a range cannot be read.
 */
export function unaffectedScopes(
  scope: PackageScope,
  statements: readonly Statement[],
): readonly (PackageScope | string)[] {
  if (statements.filter(({ range }) => range !== undefined).length > MAX_RANGES) {
    return [`more than ${MAX_RANGES} ranges of versions are not applied`];
  }
  const read = statements.map((one) => ({ ...one, stated: statedBy(one, scope.ecosystem) }));
  const contrary = read.filter(({ status }) => status !== 'unaffected').map(({ stated }) => stated);
  return read
    .filter(({ status }) => status === 'unaffected')
    .map(({ stated, version, range }) => {
      const name = version ?? `the range ${range}`;
      if (typeof stated === 'string') return `the range is not applied: ${stated}`;
      if (contrary.some((other) => mayShare(stated, other))) return `${name} may contain affected versions`;
      return narrowed(scope, stated, range) ?? `${name} is not the version of the component`;
    });
}

function statedBy({ version, range }: Statement, ecosystem: string): Stated {
  return version === undefined ? readVers(range ?? '', ecosystem) : { version };
}

function mayShare(stated: Exclude<Stated, string>, other: Stated): boolean {
  if (typeof other === 'string') return true;
  if ('version' in stated) {
    return 'version' in other ? stated.version === other.version : isInVers(stated.version, other);
  }
  return 'version' in other ? isInVers(other.version, stated) : versOverlap(stated, other);
}

/** The part of a scope that has these versions; `undefined` when it is one of another version. */
function narrowed(
  scope: PackageScope,
  stated: Exclude<Stated, string>,
  range: string | undefined,
): PackageScope | undefined {
  const { version: own } = scope;
  if ('version' in stated) {
    return own === undefined || own === stated.version ? { ...scope, version: stated.version } : undefined;
  }
  if (own !== undefined) return isInVers(own, stated) ? scope : undefined;
  return range === undefined ? undefined : { ...scope, versions: range };
}
