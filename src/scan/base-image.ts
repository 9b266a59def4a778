import { defined } from '../model/defined.ts';
import type { BaseImage, ImageState, JudgedImage, ScannedImage } from '../model/image/image.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Target, TargetState } from '../model/scan/change.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { compareFindingOrder } from '../policy/finding-order.ts';
import { policyFor } from '../policy/policy-for.ts';
import { baseImage, baseImageFinding, IMAGE_LOCATION, imageAfter } from '../policy/rules/base-image.ts';
import { type Attempt, fetchAll } from './attempt.ts';
import type { ComparedScan, ComparisonRules } from './compare.ts';
import { comparePart } from './compare-part.ts';

/** Repositories of a base that are kept; a popular one has a thousand copies. */
const MAX_REPOSITORIES = 20;

/** The base of an image; without one, none is known. `failure`: why it could not be looked up. */
interface FoundBase {
  readonly base?: BaseImage;
  readonly failure?: string;
}

/**
 * Looks up the public image that an image is built on. `previous`: what was known of the image of the target. Throws
 * `IncompleteError`.
 */
export async function findBase(
  image: ScannedImage,
  {
    insights,
    previous,
  }: { readonly insights: Pick<Insights, 'baseImage'>; readonly previous: ImageState | undefined },
  attempt: Attempt,
): Promise<FoundBase> {
  const former = previous?.base ?? previous?.before;
  const { found, failed } = await fetchAll(
    [image],
    ({ layers }) => insights.baseImage(layers, attempt.signal, former),
    ({ digest }) => `base of image ${digest}`,
    attempt,
  );
  for (const { reason } of failed) return { failure: reason };
  for (const { fact } of found) {
    return { base: { ...fact, repositories: fact.repositories.slice(0, MAX_REPOSITORIES) } };
  }
  return {};
}

interface JudgedBase {
  readonly scan: string;
  readonly target: Target;
  readonly requestedAt: string;
  readonly image: ScannedImage;
  readonly found: FoundBase;
  /** The state of the target before; `undefined` for a new target. */
  readonly previous: TargetState | undefined;
  /** In ms since 1970. */
  readonly judgedAt: number;
}

/**
 * Opens or resolves the finding about the base of an image. A base that could not be looked up is a gap, and leaves the finding as it
 * is.
 */
export async function compareImage(
  { scan, target, requestedAt, image, found, previous, judgedAt }: JudgedBase,
  rules: ComparisonRules,
): Promise<ComparedScan> {
  const { base, failure } = found;
  const judged = { ...judgedImage(image), ...defined({ base }) };
  const state: ImageState | undefined =
    failure === undefined ? imageAfter(previous?.image, { ...judged, requestedAt }) : undefined;
  const finding = state && baseImageFinding(target.id, state, policyFor(rules.policy, target));
  const compared = await comparePart(
    {
      scan,
      target,
      requestedAt,
      judgedAt,
      previous,
      findings: finding === undefined ? [] : [finding],
      part: {
        location: IMAGE_LOCATION,
        has: ({ rule }) => rule === baseImage.name,
        judgedAt: previous?.image?.requestedAt,
        state: state && { image: state },
      },
      gaps:
        failure === undefined
          ? []
          : [{ kind: 'image', subject: image.reference ?? image.digest, reason: failure }],
    },
    rules,
  );
  return { ...compared, verdict: { ...compared.verdict, image: judged } };
}

function judgedImage({ reference, platform, digest, layers }: ScannedImage): JudgedImage {
  return { ...defined({ reference }), platform, digest, layers: layers.length };
}

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
    complete: verdict.complete && image.gaps.length === 0,
    counts: {
      ...counts,
      severities,
      notes: counts.notes + image.counts.notes,
      ...(suppressed === 0 ? {} : { suppressed }),
    },
    image: image.image,
  };
}
