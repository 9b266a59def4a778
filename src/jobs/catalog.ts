import { adviseUpgrades } from './advise-upgrades.ts';
import { checkContract } from './check-contract.ts';
import { collectAdvisories } from './collect-advisories.ts';
import { deliverNotification } from './deliver-notification.ts';
import { expandDependencies } from './expand-dependencies.ts';
import { findBaseImage } from './find-base-image.ts';
import { gatherDigest } from './gather-digest.ts';
import { ingestLockfiles } from './ingest-lockfiles.ts';
import type { AnyJob } from './job.ts';
import { judgeScan } from './judge-scan.ts';
import { lookUpExceptions } from './look-up-exceptions.ts';
import { checkFreshness } from './refresh/check-freshness.ts';
import { finishRefresh } from './refresh/finish-refresh.ts';
import { judgeTarget } from './refresh/judge-target.ts';
import { refreshFacts } from './refresh/refresh-facts.ts';
import { refreshFleet } from './refresh/refresh-fleet.ts';
import { selectTargets } from './refresh/select-targets.ts';
import { refreshExploits } from './refresh-exploits.ts';
import { inspectPackages } from './signals/inspect-packages.ts';
import { judgeSource } from './sources/judge-source.ts';
import { readSource } from './sources/read-source.ts';
import { runSchedule } from './sources/run-schedule.ts';
import { scanSource } from './sources/scan-source.ts';

export const JOBS: readonly AnyJob[] = [
  ingestLockfiles,
  collectAdvisories,
  expandDependencies,
  judgeScan,
  findBaseImage,
  deliverNotification,
  checkContract,
  gatherDigest,
  runSchedule,
  readSource,
  judgeSource,
  scanSource,
  refreshFleet,
  refreshFacts,
  finishRefresh,
  checkFreshness,
  selectTargets,
  judgeTarget,
  inspectPackages,
  refreshExploits,
  adviseUpgrades,
  lookUpExceptions,
];
