import type { FleetEffects } from '../../model/queue/outcome.ts';
import { CACHED_ADVISORY, CACHED_VERSION, REFRESH_RECORD, ROUTING } from '../../model/stored/catalog.ts';
import { chunks } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import type { OutcomeStep } from '../scripts/save-outcome.lua.ts';
import { writeText } from '../values/stored-values.ts';

/** Facts in one step: Lua passes a few thousand arguments at most. */
const CHUNK = 1_000;
/** Clocks of workers differ by some seconds. */
export const CLOCK_SKEW_MS = 10_000;

/** The steps of `SAVE_OUTCOME` for the refresh of the fleet, except for the claim. */
export function fleetSteps(keys: Keys, effects: FleetEffects | undefined): readonly OutcomeStep[] {
  if (effects === undefined) return [];
  const { refreshed, selected, comparedAt, settings, suppressions } = effects;
  const [versions, advisories] = [keys.facts(CACHED_VERSION.kind), keys.facts(CACHED_ADVISORY.kind)];
  const pending: OutcomeStep[] = [];
  for (const [facts, list] of [
    [versions, selected?.versions ?? []],
    [advisories, selected?.advisories ?? []],
  ] as const) {
    for (const part of chunks(list, CHUNK)) {
      const values = part.flatMap(({ key, changedAt }) => [key, changedAt]);
      pending.push({ name: 'SELECTED', keys: [facts.pending], values });
    }
  }
  for (const part of chunks(selected?.due ?? [], CHUNK)) {
    const values = part.flatMap(({ target, dueAt }) => [target, dueAt]);
    pending.push({ name: 'SELECTED', keys: [keys.dueTargets], values });
  }
  if (comparedAt !== undefined) {
    for (const { changed, pending: list } of [versions, advisories]) {
      pending.push({ name: 'RELIST', keys: [changed, list], values: [comparedAt - CLOCK_SKEW_MS] });
    }
  }
  if (settings !== undefined) {
    const routing = writeText(ROUTING, settings.routing);
    pending.push({ name: 'SET', keys: [keys.judgedSettings], values: [settings.hash] });
    pending.push({ name: 'SET', keys: [keys.judgedRouting], values: [routing] });
  }
  if (suppressions !== undefined) {
    pending.push({ name: 'SET', keys: [keys.judgedSuppressions], values: [suppressions] });
  }
  if (refreshed === undefined) return pending;
  const record = writeText(REFRESH_RECORD, refreshed.record);
  return [...pending, { name: 'HSET', keys: [keys.refreshes], values: [refreshed.cadence, record] }];
}
