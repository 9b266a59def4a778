import { isMalwareReport } from '../../model/scan/advisory-names.ts';
import { type Detector, listOf } from './detector.ts';

/** Types that other rules determine from the facts themselves. A repair is no issue. */
const DETERMINED: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'DEPRECATED',
  'VULNERABLE',
  'LOW_USAGE',
  'COOLDOWN',
  'REMEDIATION',
]);

const GRADES: Readonly<Record<string, string>> = {
  RISK_CRITICAL: 'critical',
  RISK_HIGH: 'high',
  RISK_INFORMATIONAL: 'informational',
};
const ORDER = ['malicious', 'critical', 'high', 'other', 'informational'] as const;

/** Findings of the index itself that no rule determines, in its own words. */
export const indexFinding: Detector = {
  name: 'index-finding',
  title: 'The package index reports a locked version',
  description: 'The index itself reports the version, by something that no other rule determines.',
  help: {
    means:
      'the package index has findings of its own (GetFindings), and one of them is not what another rule ' +
      'determines: `MALICIOUS` where no advisory says so, or a type that is newer than this release. The ' +
      'finding has the words of the index: type and risk.',
    sure: 'as sure as the index is, which states no evidence. A service without findings says nothing.',
    todo: 'ask the index (`lockhound insights version-findings`), and look at the version.',
  },
  points: { malicious: 6, critical: 4, high: 2, other: 1, informational: 0 },
  detect({ key, details, serviceFindings = [] }) {
    const { advisoryIds = [] } = details?.get(key.version) ?? {};
    const isReported = advisoryIds.some(isMalwareReport);
    const graded = serviceFindings
      .filter(({ type }) => !DETERMINED.has(type) && !(type === 'MALICIOUS' && isReported))
      .map(({ type, risk }) => ({
        grade: type === 'MALICIOUS' ? 'malicious' : (GRADES[risk] ?? 'other'),
        text: risk === '' ? type : `${type} (${risk})`,
      }));
    const grade = ORDER.find((one) => graded.some((finding) => finding.grade === one));
    if (grade === undefined) return undefined;
    return { grade, text: `is reported by the index: ${listOf(graded.map(({ text }) => text))}` };
  },
};
