import { countedSeverity } from '../../model/scan/severity.ts';
import type { Operation } from '../operation.ts';
import { selectFindings } from './select.ts';

/** Numbers of findings that fit, by what people filter. */
export const countFindings: Operation<'lockhound.findings.count'> = async (
  { params, principal },
  context,
) => {
  const list = await selectFindings(context, params, principal, { short: true });
  const counts = { severities: {}, rules: {}, ecosystems: {} };
  for (const { finding } of list) {
    count(counts.severities, countedSeverity(finding));
    count(counts.rules, finding.rule);
    count(counts.ecosystems, finding.package.ecosystem);
  }
  return { total: list.length, ...counts };
};

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
