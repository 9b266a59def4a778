import { randomBytes } from 'node:crypto';
import { currentData } from '../compose/exploits.ts';
import { openFleetStore } from '../compose/fleet-store.ts';
import { createLogger } from '../compose/logger.ts';
import { openTracing } from '../compose/tracing.ts';
import type { LoadedConfig } from '../config/load.ts';
import { COMPARE_FINDINGS, EMPTY_FLEET } from '../fleet/view/fleet-snapshot.ts';
import { createHeldAlerts } from '../fleet/view/held-alerts.ts';
import { holdPackages } from '../fleet/view/held-packages.ts';
import { readFleet } from '../fleet/view/read-fleet.ts';
import { changeList } from '../fleet/view/sorted-list.ts';
import { NO_EXPLOIT_DATA } from '../model/exploits/exploit-data.ts';
import { joinFreshness } from '../model/fleet/refresh.ts';
import { lazily } from '../model/lazily.ts';
import { lazyGate, type OperationContext } from './context.ts';
import { createPageTokens } from './page-token.ts';

/**
 * Opens the context for the operations of one command: each snapshot is read from Redis. Throws `ConfigError` when `redis.url` is not set, and
 * `StoreError` when Redis does not answer.
 */
export async function openLocalContext(
  loaded: LoadedConfig,
): Promise<OperationContext & { close(): Promise<void> }> {
  let tracing: ReturnType<typeof openTracing> | undefined;
  const fleet = await openFleetStore(loaded, {
    async telemetry() {
      tracing ??= openTracing(loaded, createLogger(loaded));
      return (await tracing)?.telemetry;
    },
  });
  const [first] = fleet.shards;
  const exploits =
    first === undefined ? async () => NO_EXPLOIT_DATA : currentData(first.exploits, fleet.note);
  // Few commands need them.
  const numbers = lazily(async () => {
    const { openFleetNumbers } = await import('../compose/fleet-numbers.ts');
    return openFleetNumbers(fleet.shards, loaded.config.watch.staleAfter);
  });
  const gate = lazyGate(loaded, fleet, exploits);
  return {
    loaded,
    fleet,
    exploits,
    gate,
    numbers: async () => await (await numbers())(),
    async health() {
      const { openHealth } = await import('../compose/health.ts');
      return await openHealth(loaded, fleet, await numbers())();
    },
    packages: fleet.shards.map((store) => holdPackages(store, (target) => fleet.of(target) === store)),
    async snapshot(need) {
      const { target } = need;
      const held = createHeldAlerts();
      const options = { exploits: await exploits(), onUnreadable: fleet.onUnreadable, held };
      let snapshot = EMPTY_FLEET;
      for (const shard of target === undefined ? fleet.shards : [fleet.of(target)])
        snapshot = await readFleet(snapshot, shard, need, options);
      if (need.onlyAlerts !== true) return snapshot;
      // Few targets have findings of their own then.
      const added = snapshot.findingLists.severity;
      const severity = await changeList(
        held.list(options.exploits),
        { removed: [], added },
        COMPARE_FINDINGS.severity,
      );
      return { ...snapshot, findingLists: { ...snapshot.findingLists, severity } };
    },
    async staleness() {
      const { staleAfter } = loaded.config.watch;
      const shards = await Promise.all(fleet.shards.map((store) => store.fleet.freshness(staleAfter)));
      const { staleTargets } = joinFreshness(shards);
      return ({ target }) => staleTargets.has(target);
    },
    readAt: Date.now,
    follow: async () => {},
    tokens: createPageTokens(randomBytes(32)),
    async close() {
      await gate.close();
      await fleet.close();
      await (await tracing)?.close();
    },
  };
}
