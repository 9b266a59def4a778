import type { ImageState, JudgedImage, ScannedImage } from '../model/image/image.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { VERDICT } from '../model/stored/catalog.ts';
import { policyFor } from '../policy/policy-for.ts';
import { baseImage, baseImageFinding, IMAGE_LOCATION, imageAfter } from '../policy/rules/base-image.ts';
import { fetchAll } from '../scan/fetch-all.ts';
import type { Job } from './job.ts';
import { FIND_BASE_IMAGE, type FindBaseImage } from './payloads/find-base-image.ts';
import { logVerdict } from './scan/log-verdict.ts';
import { failedRecord } from './scan/record.ts';
import { recordPartVerdict } from './scan/record-part-verdict.ts';

/** Repositories of a base that are kept; a popular one has a thousand copies. */
const MAX_REPOSITORIES = 20;

/**
 * Finds the public image that the image of a target is built on (QueryContainerImages), and opens or resolves the finding about it. A base that
 * cannot be looked up is a gap, and leaves the finding as it is.
 */
export const findBaseImage: Job<
  FindBaseImage,
  Verdict,
  'insights' | 'targets' | 'routing' | 'policy' | 'scans'
> = {
  ...FIND_BASE_IMAGE,
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 120_000, timeoutMs: 300_000, concurrency: 2 },
  needs: ['insights', 'targets', 'routing', 'policy', 'scans'],
  resultKind: VERDICT,
  async run({ scan, target, requestedAt, image }, ports, context) {
    const { found, failed } = await fetchAll(
      [image],
      ({ layers }) => ports.insights.baseImage(layers, context.signal),
      ({ digest }) => `base of image ${digest}`,
      context,
    );
    const [failure] = failed;
    const [base] = found.map(({ fact }) => ({
      ...fact,
      repositories: fact.repositories.slice(0, MAX_REPOSITORIES),
    }));
    const judged = { ...judgedImage(image), ...(base === undefined ? {} : { base }) };
    const previous = await ports.targets.read(target.id);
    const state: ImageState | undefined =
      failure === undefined ? imageAfter(previous?.image, { ...judged, requestedAt }) : undefined;
    const finding = state && baseImageFinding(target.id, state, policyFor(ports.policy.policy(), target));
    const verdict = await recordPartVerdict(
      {
        scan,
        target,
        requestedAt,
        judgedAt: context.startedAt,
        finding,
        previous,
        part: {
          location: IMAGE_LOCATION,
          has: ({ rule }) => rule === baseImage.name,
          judgedAt: previous?.image?.requestedAt,
          state: state && { image: state },
        },
        gaps:
          failure === undefined
            ? []
            : [{ kind: 'image', subject: image.reference ?? image.digest, reason: failure.reason }],
      },
      ports,
    );
    return { ...verdict, result: { ...verdict.result, image: judged } };
  },
  async onEnd(payload, ending, { scans }) {
    if (ending.kind === 'failed') await scans.fail(failedRecord(payload, ending.reason));
  },
  log: ({ scan }, verdict) => {
    const { facts, warning } = logVerdict(scan, verdict);
    const [gap] = verdict.gaps;
    return {
      facts: { ...facts, image: verdict.image?.reference, base: verdict.image?.base?.repositories[0] },
      warning: gap === undefined ? warning : `the base of the image could not be looked up: ${gap.reason}`,
    };
  },
  spent: ({ scan }) => ({ marked: [{ job: FIND_BASE_IMAGE.name, key: scan }], removed: [] }),
};

function judgedImage({ reference, platform, digest, layers }: ScannedImage): JudgedImage {
  return { ...(reference === undefined ? {} : { reference }), platform, digest, layers: layers.length };
}
