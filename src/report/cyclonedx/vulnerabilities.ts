import { Vulnerability as Enums } from '@cyclonedx/cyclonedx-library/Enums';
import { type BomRef, Vulnerability as Models, Property } from '@cyclonedx/cyclonedx-library/Models';
import { defined } from '../../model/defined.ts';
import { disputeText } from '../../model/scan/claim.ts';
import type { AdvisoryEvidence, Finding } from '../../model/scan/finding.ts';
import type { Severity } from '../../model/scan/severity.ts';
import { suppressionText, webAddress } from '../finding-parts.ts';
import { isVersion } from './components.ts';

/** A finding with how it differs from the base, when the scan was compared. */
export interface ComparedFinding {
  readonly finding: Finding;
  change?: 'new' | 'unchanged' | 'gone';
}

/** Components of the packages with this purl and version. */
type RefsOf = (one: ComparedFinding) => readonly BomRef[];

/**
 * One vulnerability for each advisory, with the packages that it affects and the state of its analysis, so that the BOM is a VDR
 * and a VEX document. Packages for which it is suppressed, new, unchanged or gone have their own entry. Findings without an
 * advisory are no vulnerabilities.
 */
export function vulnerabilitiesOf(
  findings: readonly ComparedFinding[],
  refsOf: RefsOf,
): readonly Models.Vulnerability[] {
  const groups = Map.groupBy(findings, ({ finding: { advisory, suppressed, disputed }, change }) =>
    JSON.stringify([advisory?.id, suppressed, disputed, change]),
  );
  const refs = new Set<string>();
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    const advisory = first?.finding.advisory;
    if (first === undefined || advisory === undefined) return [];
    const plain = `vulnerability/${advisory.id}`;
    const bomRef = refs.has(plain) ? `${plain}/${refs.size}` : plain;
    refs.add(bomRef);
    return [vulnerability(first, advisory, bomRef, own, refsOf)];
  });
}

function vulnerability(
  { finding, change }: ComparedFinding,
  advisory: AdvisoryEvidence,
  bomRef: string,
  own: readonly ComparedFinding[],
  refsOf: RefsOf,
): Models.Vulnerability {
  const { id, aliases, title, url } = advisory;
  const address = webAddress(url);
  const created = new Models.Vulnerability({
    bomRef,
    id,
    source: sourceOf(id, address),
    description: title,
    analysis: analysisOf(finding, change),
  });
  if (change !== undefined) created.properties.add(new Property('lockhound:change', change));
  // What is gone has no component.
  for (const purl of new Set(change === 'gone' ? own.map((one) => one.finding.package.purl) : []))
    created.properties.add(new Property('lockhound:gone-from', purl));
  for (const alias of aliases) created.references.add(new Models.Reference(alias, sourceOf(alias)));
  created.ratings.add(ratingOf(finding));
  if (address !== undefined) created.advisories.add(new Models.Advisory(address));
  const advice = new Set(own.flatMap((one) => one.finding.advice ?? []));
  if (advice.size > 0 && change !== 'gone') created.recommendation = [...advice].join('\n');
  const affected = new Map(
    own.flatMap((one) => refsOf(one).map((ref) => [ref, one.finding.package.version])),
  );
  for (const [ref, version] of affected) {
    const affect = new Models.Affect(ref);
    const status = Enums.AffectStatus.Affected;
    if (isVersion(version)) affect.versions.add(new Models.AffectedSingleVersion(version, { status }));
    created.affects.add(affect);
  }
  return created;
}

/**
 * A suppression is the decision of a person and does not say that the package is not affected: the state stays open, with the
 * response that nothing is done and the reason. Suppressions from a VEX document say that it is not affected. One that is gone is
 * resolved.
 */
function analysisOf({ suppressed, disputed }: Finding, change: ComparedFinding['change']): Models.Analysis {
  if (change === 'gone') return new Models.Analysis({ state: Enums.AnalysisState.Resolved });
  if (suppressed === undefined) {
    const detail = disputed && disputeText(disputed);
    return new Models.Analysis({ state: Enums.AnalysisState.InTriage, ...defined({ detail }) });
  }
  const isVex = suppressed.source === 'vex';
  const response = isVex ? [] : [Enums.AnalysisResponse.WillNotFix];
  return new Models.Analysis({
    state: isVex ? Enums.AnalysisState.NotAffected : Enums.AnalysisState.InTriage,
    response: new Enums.AnalysisResponseRepository(response),
    detail: suppressionText(suppressed),
  });
}

/** Who published an identifier, by the names that Dependency-Track knows. `address`: a page of OSV about it. */
function sourceOf(id: string, address?: string): Models.Source {
  const segment = encodeURIComponent(id.toWellFormed());
  if (id.startsWith('CVE-')) {
    return new Models.Source({ name: 'NVD', url: `https://nvd.nist.gov/vuln/detail/${segment}` });
  }
  if (id.startsWith('GHSA-')) {
    return new Models.Source({ name: 'GITHUB', url: `https://github.com/advisories/${segment}` });
  }
  return new Models.Source({ name: 'OSV', url: address ?? `https://osv.dev/vulnerability/${segment}` });
}

function ratingOf({ severity, advisory }: Finding): Models.Rating {
  const { score, vector } = advisory ?? {};
  return new Models.Rating({
    severity: SEVERITIES[severity],
    ...defined({ score }),
    ...(vector === undefined ? {} : { vector, method: methodOf(vector) }),
  });
}

const SEVERITIES: Readonly<Record<Severity, Enums.Severity>> = {
  critical: Enums.Severity.Critical,
  high: Enums.Severity.High,
  medium: Enums.Severity.Medium,
  low: Enums.Severity.Low,
  none: Enums.Severity.None,
  unrated: Enums.Severity.Unknown,
};

function methodOf(vector: string): Enums.RatingMethod {
  const [, version] = /^CVSS:(\d\.\d)\//.exec(vector) ?? [];
  if (version === '3.0') return Enums.RatingMethod.CVSSv3;
  if (version === '3.1') return Enums.RatingMethod.CVSSv31;
  if (version?.startsWith('4.')) return Enums.RatingMethod.CVSSv4;
  return version === undefined && vector.startsWith('AV:')
    ? Enums.RatingMethod.CVSSv2
    : Enums.RatingMethod.Other;
}
