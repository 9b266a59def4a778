import type { DigestEntry, Notification } from '../model/alert/notification.ts';
import { byPath } from '../model/fleet/lockfile-order.ts';
import type {
  DigestClaim,
  OutcomeEffects,
  Outcomes,
  StoredOutcome,
  TargetChange,
} from '../model/queue/outcome.ts';
import type { SpentOutcomes } from '../model/queue/spent-outcomes.ts';
import type { TargetState } from '../model/scan/change.ts';
import type { StoredKind } from '../model/stored/kind.ts';

/** Everything that is written together with outcomes. */
export interface MemoryMaps {
  readonly outcomes: Map<string, StoredOutcome>;
  readonly targets: Map<string, TargetState>;
  /** By the id of the delivery. */
  readonly notifications: Map<string, Notification>;
  /** By route, then by scan. */
  readonly digests: Map<string, Map<string, DigestEntry>>;
}

export interface MemoryOutcomes extends Outcomes {
  /** Frees the memory of outcomes. May be repeated. */
  spend(spent: SpentOutcomes): void;
}

/** Outcomes in maps: the first one saved under a job and key stays, and only that one has effects. */
export function createOutcomes(maps: MemoryMaps): MemoryOutcomes {
  const { outcomes } = maps;
  return {
    read: async (job, key) => outcomes.get(nameOf(job, key)),
    // Only this process writes here, so every result is of the kind of its job.
    readResult: async <Result>(_kind: StoredKind<Result>, job: string, key: string) =>
      outcomes.get(nameOf(job, key))?.result as Result | undefined,
    has: async (job, key) => outcomes.has(nameOf(job, key)),
    // Nothing is awaited between the check and the writes, so together they are atomic.
    async save(job, key, run) {
      const known = outcomes.get(nameOf(job, key));
      if (known !== undefined) return { status: 'already-there', outcome: known };
      if (!isCurrent(maps, run.state)) return { status: 'state-moved' };
      outcomes.set(nameOf(job, key), { result: run.result, next: run.next });
      applyEffects(maps, run);
      return { status: 'saved' };
    },
    spend({ marked, removed }) {
      for (const { job, key } of removed) outcomes.delete(nameOf(job, key));
      for (const { job, key } of marked) {
        const known = outcomes.get(nameOf(job, key));
        if (known !== undefined) outcomes.set(nameOf(job, key), { ...known, next: [] });
      }
    },
  };
}

function nameOf(job: string, key: string): string {
  return `${job} ${key}`;
}

function isCurrent({ targets }: MemoryMaps, state: OutcomeEffects['state']): boolean {
  if (state === undefined || 'taken' in state) return true;
  return (targets.get(state.target)?.revision ?? 0) === state.replaces;
}

function applyEffects(maps: MemoryMaps, { state, deliveries = [], delivered }: OutcomeEffects): void {
  if (delivered !== undefined) maps.notifications.delete(delivered.id);
  if (state !== undefined) applyState(maps, state);
  for (const { identity, notification } of deliveries) {
    if (!maps.notifications.has(identity.id)) maps.notifications.set(identity.id, notification);
  }
}

function applyState({ targets, digests }: MemoryMaps, state: TargetChange | DigestClaim): void {
  if ('taken' in state) {
    for (const scan of state.taken) digests.get(state.route)?.delete(scan);
    return;
  }
  targets.set(state.target, withLockfiles(state));
  for (const { route, entry } of state.digests ?? []) {
    const waiting = digests.get(route) ?? new Map<string, DigestEntry>();
    digests.set(route, waiting.set(entry.scan, entry));
  }
}

/** The state with the lockfiles that the scan read. Their inventories are not stored: this process has no fleet. */
function withLockfiles({ state, lockfiles }: TargetChange): TargetState {
  if (lockfiles === undefined) return state;
  const read = lockfiles.read.map(({ path, sha256 }) => ({ path, sha256 }));
  return { ...state, lockfiles: [...(state.lockfiles ?? []), ...read].sort(byPath) };
}
