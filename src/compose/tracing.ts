import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import { packageVersion } from '../files/package-file.ts';
import { lostSpans } from '../model/telemetry.ts';
import type { Tracing } from '../tracing/tracing.ts';

/** A line about lost traces at most this often. */
const LOG_EVERY_MS = 60_000;

/** Starts tracing when a collector is configured; nothing of OpenTelemetry is loaded otherwise. */
export async function openTracing(
  { config, secrets }: LoadedConfig,
  log: Logger,
): Promise<Tracing | undefined> {
  const { endpoint, ratio } = config.traces;
  if (endpoint === undefined) return undefined;
  const { startTracing } = await import('../tracing/tracing.ts');
  const authorization = secrets.tracesAuthorization?.reveal();
  let dropped = 0;
  let logged = Number.NEGATIVE_INFINITY;
  return startTracing({
    endpoint,
    headers: authorization === undefined ? {} : { authorization },
    ratio,
    version: packageVersion(),
    onLost(reason, spans) {
      dropped += spans;
      lostSpans.publish({ count: spans });
      if (performance.now() - logged < LOG_EVERY_MS) return;
      logged = performance.now();
      log.warn(
        { endpoint: new URL(endpoint).origin, spans: dropped, reason },
        'traces are lost: the collector does not accept them',
      );
      dropped = 0;
    },
    onRestored() {
      logged = Number.NEGATIVE_INFINITY;
      log.info({ spans: dropped }, 'the collector accepts traces again');
      dropped = 0;
    },
  });
}
