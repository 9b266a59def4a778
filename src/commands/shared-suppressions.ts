import type { Log } from '../compose/deferred-log.ts';
import type { LoadedConfig } from '../config/load.ts';
import { messageOf } from '../model/errors.ts';
import type { Suppression } from '../model/scan/suppression.ts';

/**
 * The suppressions of `lockhound ignore` for a scan in this process (`policy.sharedSuppressions`). Without Redis the scan goes on, and
 * reports more findings rather than fewer.
 */
export async function sharedSuppressions(loaded: LoadedConfig, log: Log): Promise<readonly Suppression[]> {
  if (!loaded.config.policy.sharedSuppressions) return [];
  try {
    const { openFleetStore } = await import('../compose/fleet-store.ts');
    const { shards, close } = await openFleetStore(loaded);
    try {
      const added = (await shards[0]?.suppressions.effective()) ?? [];
      return added.map(({ suppression }) => suppression);
    } finally {
      await close();
    }
  } catch (error) {
    log.error(
      { error: messageOf(error) },
      'the suppressions of `lockhound ignore` cannot be read and do not apply',
    );
    return [];
  }
}
