import { isFixable } from '../../model/advice/fixable.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import type { ScanReport, Verdict } from '../../model/scan/verdict.ts';
import { counted } from '../layout.ts';

/** Packages that are named. */
const NAMED = 3;

/** What to do about the findings of a scan, in one line. `undefined` when there is nothing to do. */
export function nextStep(
  { verdict, advice }: Pick<ScanReport, 'advice'> & { readonly verdict: Pick<Verdict, 'gaps' | 'counts'> },
  findings: readonly Finding[],
): string | undefined {
  const alerts = findings.filter(isAlert);
  if (alerts.length === 0) return verdict.gaps.length === 0 ? undefined : forGaps(verdict.counts);
  if (advice !== undefined) return forAdvice(alerts);
  const direct = alerts.filter((one) => one.package.direct === true);
  const names = namesOf(direct.length > 0 ? direct : alerts);
  const start =
    direct.length > 0
      ? `the ${counted(names.length, 'direct dependency', 'direct dependencies')} (${named(names)})`
      : `what brings ${named(names)}`;
  return `\`lockhound fix\` finds the upgrades; start with ${start}.`;
}

function forAdvice(alerts: readonly Finding[]): string {
  const fixable = alerts.filter(isFixable).length;
  if (fixable === 0) return 'no known upgrade clears these findings; --verbose says why.';
  return `\`lockhound fix\` has the commands that clear ${fixable} of ${counted(alerts.length, 'finding')}.`;
}

function forGaps({ outcomes }: Verdict['counts']): string {
  if (outcomes.uncovered > 0)
    return 'scan without --local to look up what the local data set does not cover.';
  return 'correct what is listed as a gap, and scan again.';
}

function namesOf(findings: readonly Finding[]): readonly string[] {
  return [...new Map(findings.map((one) => [one.package.purl, one.package.name])).values()];
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${shown} and ${names.length - NAMED} more` : shown;
}
