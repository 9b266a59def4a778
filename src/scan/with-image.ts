import type { Verdict } from '../model/scan/verdict.ts';
import { compareFindingOrder } from '../policy/finding-order.ts';
import { baseImage } from '../policy/rules/base-image.ts';

/** The verdict of a scan on its lockfiles, with that on its image. */
export function withImage(verdict: Verdict, image: Verdict | undefined): Verdict {
  if (image?.image === undefined) return verdict;
  const { findings, changes, gaps, counts } = verdict;
  const severities = { ...counts.severities };
  for (const [severity, count] of Object.entries(image.counts.severities)) {
    severities[severity as keyof typeof severities] += count;
  }
  const suppressed = (counts.suppressed ?? 0) + (image.counts.suppressed ?? 0);
  // A scan that repeats the result of the last one has the finding about the image already.
  const others = findings.filter(({ rule }) => rule !== baseImage.name);
  return {
    ...verdict,
    findings: [...others, ...image.findings].sort(compareFindingOrder),
    changes: [...changes, ...image.changes],
    gaps: [...gaps, ...image.gaps],
    counts: {
      ...counts,
      severities,
      notes: counts.notes + image.counts.notes,
      ...(suppressed === 0 ? {} : { suppressed }),
    },
    image: image.image,
  };
}
