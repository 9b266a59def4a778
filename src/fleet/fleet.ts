import type { WantedFindings } from '../model/fleet/fleet-finding.ts';
import type { Cadence, RefreshRecord } from '../model/fleet/refresh.ts';
import type { TargetSummary } from '../model/fleet/target-summary.ts';
import type { DueTarget, PendingFacts } from '../model/queue/outcome.ts';
import type { Target, TargetState } from '../model/scan/change.ts';
import type { ExpandedLockfile, NamedLockfile } from './compact-lockfile.ts';
import type { IdList } from './id-list.ts';

/** The findings of a target that has open ones. */
export interface TargetFindings {
  readonly target: Target;
  readonly findings: TargetState['findings'];
  /** Open findings by severity, without notes. */
  readonly open: TargetSummary['open'];
}

/** Package versions and advisories that are looked up. */
export interface ListedFacts {
  readonly ids: IdList;
  readonly advisories: readonly string[];
}

/** The fleet as a whole. Questions about many targets are answered by a pass over compact lists. */
export interface Fleet {
  /** Ids of all package versions that targets look up. */
  packageIds(): Promise<IdList>;
  /** The ids of versions that were published, or else first seen, since a time in ms. */
  youngPackageIds(since: number): Promise<IdList>;
  /** Versions of the packages, and the advisories, that lists of changes named since a time in ms. */
  listed(since: number): Promise<ListedFacts>;
  /** The identities of ids, without those that were forgotten meanwhile. */
  identities(ids: IdList): Promise<readonly string[]>;
  /** Ids of all advisories that the fleet knows, or that versions name: one that could not be read was never known. */
  advisoryIds(): Promise<readonly string[]>;
  /** Facts that changed and whose targets are not selected yet: the oldest, at most `limit` of each kind. */
  pending(limit: number): Promise<PendingFacts>;
  countPending(): Promise<number>;
  /** The targets with a package version that the facts are about. */
  affectedTargets(facts: PendingFacts): Promise<readonly string[]>;
  /** The targets whose last scan could not see everything. */
  incompleteTargets(): Promise<readonly string[]>;
  /** The targets that are judged again at a time, in ms, or were due before, although nothing changed. */
  dueTargets(time: number): Promise<readonly DueTarget[]>;
  countDue(time: number): Promise<number>;
  allTargets(): Promise<readonly string[]>;
  /** The targets with such a finding, in any state, by a pass over the states of those that it may be about. */
  targetsWith(wanted: WantedFindings): Promise<readonly string[]>;
  /** The targets with open findings, one after the other. */
  openTargets(): AsyncGenerator<TargetFindings>;
  summary(target: string): Promise<TargetSummary | undefined>;
  /** A lockfile by the key of its inventory. Throws a coded error (`state-corrupt`) when it is damaged or absent. */
  inventory(hash: string): Promise<ExpandedLockfile>;
  /** The lockfile as it is stored. Without this function, packages are read one by one. */
  namedLockfile?(hash: string): Promise<NamedLockfile>;
  lastRefresh(cadence: Cadence): Promise<RefreshRecord | undefined>;
  /** The refresh that is in progress: it holds the claim, and has not ended. */
  refreshInProgress(cadence: Cadence): Promise<string | undefined>;
}
