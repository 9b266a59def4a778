import type { Logger } from 'pino';
import type { HealthServer } from '../server/health.ts';
import type { ConnectOptions } from '../store/redis/connection.ts';

/**
 * How a process that runs until it is stopped waits for Redis at its start: an orchestrator may start both at the same time. The log and
 * `/readyz` say that it waits.
 */
export function waitForRedis(
  log: Logger,
  signal: AbortSignal,
  health: Pick<HealthServer, 'waitFor'> | undefined,
): ConnectOptions['waiting'] {
  return {
    signal,
    onWait({ message }) {
      log.warn({ error: message }, 'waiting for Redis');
      health?.waitFor(message);
    },
  };
}
