import type { ScanReport } from '../model/scan/verdict.ts';
import { counted } from './layout.ts';

/** What a report says of a scan that found nothing to report. */
export interface NoFindings {
  /** One sentence without a period. */
  readonly text: string;
  /** What follows it where there is room; it begins with its own punctuation. */
  readonly detail: string;
  /** False where the scan looked at nothing, or does not know what it looked at: this is no success. */
  readonly isClean: boolean;
}

/** Says that a scan found nothing, and how much it knew: every report begins with it. */
export function noFindings({ verdict, comparison }: Pick<ScanReport, 'verdict' | 'comparison'>): NoFindings {
  const { packages, outcomes, lockfiles } = verdict.counts;
  const total = counted(packages, 'package');
  const none = comparison === undefined ? 'No findings' : 'No new findings';
  const unknown = (text: string, detail = '') => ({ text, detail, isClean: false });
  if ((comparison?.newGaps ?? verdict.gaps).length > 0)
    return unknown(`${none}, but the scan is incomplete`, `: ${total} read`);
  if (packages === 0 && lockfiles > 0) return unknown('No packages, so nothing was checked');
  if (outcomes.resolved === packages) return { text: none, detail: ` in ${total}`, isClean: true };
  const others = Object.entries(outcomes)
    .filter(([outcome, count]) => outcome !== 'resolved' && count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
  if (outcomes.resolved === 0)
    return unknown(`${none}, because nothing is known of the ${total}`, ` (${others})`);
  const detail = ` in ${outcomes.resolved} of ${total}; nothing is known of the others (${others})`;
  return { text: none, detail, isClean: true };
}
