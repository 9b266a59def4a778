import { routingOf } from '../src/compose/notify/routing.ts';
import { reuseOf } from '../src/compose/ports.ts';
import type { Store } from '../src/compose/store.ts';
import type { LoadedConfig } from '../src/config/load.ts';
import { fleetSteps } from '../src/store/fleet/fleet-steps.ts';
import { createKeys } from '../src/store/keys.ts';

/**
 * Writes that all targets were judged by the settings of a configuration, as the script does that saves a selection of all targets. The
 * fill judges by them, except for the routes, which got nothing.
 */
export async function markJudged({ redis, prefix }: Store, loaded: LoadedConfig): Promise<void> {
  const { notify } = loaded.config;
  if (notify === undefined) throw new Error('the configuration has no routes');
  const routing = routingOf(notify);
  const settings = { hash: reuseOf(loaded, routing).settings, routing };
  for (const { name, keys, values } of fleetSteps(createKeys(prefix), { settings })) {
    await redis.call(name, ...keys, ...values);
  }
}
