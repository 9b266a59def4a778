import { defined } from '../model/defined.ts';
import type { TrackedFinding } from '../model/scan/change.ts';
import type { Claim } from '../model/scan/claim.ts';
import type { Finding } from '../model/scan/finding.ts';
import { isUnloaded } from './same-finding.ts';

/**
 * The finding with the times of what its sources say: a source without times says it since `now`, when it did not say it before. A finding
 * whose advisory did not load stays as disputed as it was.
 */
export function withDispute(finding: Finding, before: Finding | undefined, now: string): Finding {
  const { disputed, ...rest } = finding;
  if (disputed === undefined)
    return isUnloaded(finding) ? { ...rest, ...defined({ disputed: before?.disputed }) } : finding;
  const dated = disputed.map((claim): Claim => {
    const known = before?.disputed?.find(
      ({ source, says }) => source === claim.source && says === claim.says,
    );
    return { ...claim, since: claim.since ?? known?.since ?? now };
  });
  return { ...rest, disputed: dated };
}

/** Returns the denials of sources that are sent, and whether one of them is new: each is sent once. */
export function toldDisputes(
  { disputed }: Finding,
  told: TrackedFinding['disputes'] = [],
): { readonly isNews: boolean; readonly kept: Pick<TrackedFinding, 'disputes'> } {
  const denials = (disputed ?? []).flatMap(({ source, says }) =>
    says === 'affected' ? [] : `${source} ${says}`,
  );
  const news = denials.filter((one) => !told.includes(one));
  const all = [...told, ...news];
  return { isNews: news.length > 0, kept: all.length === 0 ? {} : { disputes: all } };
}
