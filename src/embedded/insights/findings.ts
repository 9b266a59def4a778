import { UNCOVERED } from '../../model/api/extensions.ts';
import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import { isMalwareReport } from '../../model/scan/advisory-names.ts';
import type { AdvisoryFact, IndexedPackage, IndexedVersion } from './data-set.ts';
import { canonicalKey, canonicalVersion } from './names.ts';

/** A package, or a version of it. */
export type FindingsSubject = Pick<VersionKey, 'system' | 'name'> & Partial<Pick<VersionKey, 'version'>>;

/** The facts of which findings are made. */
export interface FindingsFacts {
  readonly subject: FindingsSubject;
  readonly package: IndexedPackage | undefined;
  /** Whether the data says of the subject that it exists, or that it does not. */
  readonly isCovered: boolean;
  /** A version of the package, which is in canonical form. */
  indexedOf(version: string): IndexedVersion | undefined;
  /** The advisories that affect a version. */
  advisoriesOf(version: string): readonly AdvisoryFact[];
  /** ms since 1970. */
  readonly now: number;
}

type Finding = Readonly<Record<string, unknown>> & { readonly type: string; readonly risk: string };

const CRITICAL_SCORE = 9;
const AVOIDED: readonly string[] = ['RISK_CRITICAL', 'RISK_HIGH'];

/**
 * A Findings object (package insights 2026, "Findings"). The default version is recommended unless its findings say that it should be avoided. Risks
 * are those of this service: the public one states no rule for them.
 */
export function findingsObject(facts: FindingsFacts): Record<string, unknown> {
  const { subject, package: found, isCovered } = facts;
  const { version } = subject;
  const key = canonicalKey({ ...subject, version: version ?? '' });
  const name = found?.name ?? key.name;
  const packageFindings = packageFindingsOf(facts);
  const versionOf = (indexed: IndexedVersion) => ({
    versionKey: { system: subject.system, name, version: indexed.version } satisfies VersionKey,
    isDefault: indexed.version === found?.default,
    findings: [...packageFindings, ...versionFindings(indexed, facts)],
    cooldownEnd: indexed.cooldown?.end,
  });
  const known = (wanted: string) => {
    const indexed = facts.indexedOf(wanted);
    return indexed && versionOf(indexed);
  };
  const byDefault = found && known(canonicalVersion(subject.system, found.default ?? ''));
  const isGood = byDefault?.findings.every(({ risk }) => !AVOIDED.includes(risk)) === true;
  const requested = known(key.version) ?? missingVersion({ ...key, name }, facts);
  return {
    ...(version === undefined
      ? { packageKey: { system: subject.system, name } }
      : { versionKey: requested.versionKey, requestedVersion: requested }),
    recommendedVersions: isGood ? [byDefault] : [],
    defaultVersion: byDefault,
    packageFindings,
    ...(isCovered ? {} : { [UNCOVERED]: true }),
  };
}

/** A version that the index does not have. Where the data is partial, that says nothing. */
function missingVersion(versionKey: VersionKey, { isCovered, package: found }: FindingsFacts) {
  const missing = isCovered && found !== undefined ? [NOT_FOUND] : [];
  return { versionKey, isDefault: false, findings: missing, cooldownEnd: undefined };
}

const NOT_FOUND: Finding = { type: 'NOT_FOUND', risk: 'RISK_HIGH' };

function packageFindingsOf({ package: found, isCovered }: FindingsFacts): readonly Finding[] {
  if (found === undefined) return isCovered ? [NOT_FOUND] : [];
  return found.findings ?? [];
}

function versionFindings(indexed: IndexedVersion, { advisoriesOf, now }: FindingsFacts): readonly Finding[] {
  const advisories = advisoriesOf(indexed.version);
  const { deprecated, cooldown, findings = [] } = indexed;
  const isMalicious = advisories.some(({ id, aliases }) => [id, ...aliases].some(isMalwareReport));
  const isVulnerable = advisories.some(({ score = 0 }) => score >= CRITICAL_SCORE);
  const end = cooldown?.end ?? '';
  return [
    ...(isMalicious ? [{ type: 'MALICIOUS', risk: 'RISK_CRITICAL' }] : []),
    ...(isVulnerable ? [{ type: 'VULNERABLE', risk: 'RISK_CRITICAL' }] : []),
    ...(deprecated === undefined
      ? []
      : [{ type: 'DEPRECATED', risk: 'RISK_MEDIUM', deprecatedContext: { reason: deprecated } }]),
    ...(Date.parse(end) > now ? [{ type: 'COOLDOWN', risk: 'RISK_MEDIUM', cooldownContext: { end } }] : []),
    ...findings,
  ];
}
