import { checkContract } from './check-contract.ts';
import { collectAdvisories } from './collect-advisories.ts';
import { deliverNotification } from './deliver-notification.ts';
import { expandDependencies } from './expand-dependencies.ts';
import { gatherDigest } from './gather-digest.ts';
import { ingestLockfiles } from './ingest-lockfiles.ts';
import type { AnyJob } from './job.ts';
import { judgeScan } from './judge-scan.ts';

/** All jobs. */
export const JOBS: readonly AnyJob[] = [
  ingestLockfiles,
  collectAdvisories,
  expandDependencies,
  judgeScan,
  deliverNotification,
  checkContract,
  gatherDigest,
];
