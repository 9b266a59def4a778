import { createLogger } from '../compose/logger.ts';
import { redisUrls } from '../compose/redis-connection.ts';
import { openTracing } from '../compose/tracing.ts';
import type { LoadedConfig } from '../config/load.ts';
import { createProducer } from '../producer.ts';
import { readLockfilePaths } from './lockfile-paths.ts';
import { requireRedisUrl } from './redis-url.ts';

export interface EnqueueOptions {
  readonly paths: readonly string[];
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly scan?: string | undefined;
  readonly format?: string | undefined;
  /** The paths contain only some of the target's lockfiles. */
  readonly partial?: boolean;
  readonly signal: AbortSignal;
}

/** The `enqueue` command: finds lockfiles and puts them on the queue, as any producer does. */
export async function enqueuePaths(loaded: LoadedConfig, options: EnqueueOptions) {
  const { config, secrets } = loaded;
  const { paths, target, labels, scan, format, partial = false, signal } = options;
  const url = requireRedisUrl(loaded);
  const { maxBytes, retention } = config.lockfiles;
  const lockfiles = await readLockfilePaths({ paths, signal, maxBytes, format });
  const tracing = await openTracing(loaded, createLogger(loaded));
  const producer = await createProducer({
    redis: redisUrls(url, secrets).join(','),
    prefix: config.redis.prefix,
    shards: config.redis.shards,
    retentionMs: retention,
    maxBytes,
    ...(tracing === undefined ? {} : { telemetry: tracing.telemetry }),
  });
  try {
    const receipt = await producer.enqueue({ target: { id: target, labels }, lockfiles, partial, scan });
    return { ...receipt, lockfiles: lockfiles.map(({ path }) => path) };
  } finally {
    await producer.close();
    await tracing?.close();
  }
}
