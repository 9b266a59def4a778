import type { Log } from '../compose/deferred-log.ts';
import type { LoadedConfig } from '../config/load.ts';
import { closing } from '../model/closing.ts';
import { messageOf } from '../model/errors.ts';
import type { Suppression } from '../model/scan/suppression.ts';

/**
 * The suppressions of `lockhound ignore` for a scan in this process (`policy.sharedSuppressions`). Without Redis the scan goes on, and
 * reports more findings rather than fewer.
 */
export async function sharedSuppressions(loaded: LoadedConfig, log: Log): Promise<readonly Suppression[]> {
  if (!loaded.config.policy.sharedSuppressions) return [];
  try {
    const [{ requireRedisUrl }, { openStore }, { createLogger }] = await Promise.all([
      import('../compose/redis-connection.ts'),
      import('../compose/store.ts'),
      import('../compose/logger.ts'),
    ]);
    requireRedisUrl(loaded);
    return await closing(openStore(loaded, createLogger(loaded)), async ({ suppressions }) =>
      (await suppressions.effective()).map(({ suppression }) => suppression),
    );
  } catch (error) {
    log.error(
      { error: messageOf(error) },
      'the suppressions of `lockhound ignore` cannot be read and do not apply',
    );
    return [];
  }
}
