import type { Verdict } from '../model/scan/verdict.ts';
import { VERDICT } from '../model/stored/catalog.ts';
import { compareImage, findBase } from '../scan/base-image.ts';
import type { Job } from './job.ts';
import { FIND_BASE_IMAGE, type FindBaseImage } from './payloads/judge-scan.ts';
import { failedRecord } from './scan/record.ts';
import { comparisonRules, logVerdict, recordPartVerdict } from './scan/record-verdict.ts';

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
  resultKind: VERDICT,
  async run(payload, ports, context) {
    const previous = await ports.targets.read(payload.target.id);
    const known = { insights: ports.insights, previous: previous?.image };
    const found = await findBase(payload.image, known, context);
    const judged = { ...payload, found, previous, judgedAt: context.startedAt };
    const compared = await compareImage(judged, await comparisonRules(ports));
    return recordPartVerdict(compared, previous);
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
  spent: 'own',
};
