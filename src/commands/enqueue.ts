import { redisUrls } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { createProducer } from '../producer.ts';
import { readLockfilePaths } from './lockfile-paths.ts';
import { requireRedisUrl } from './shared-store.ts';

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
  const producer = await createProducer({
    redis: redisUrls(url, secrets.redisPassword).join(','),
    prefix: config.redis.prefix,
    retentionMs: retention,
    maxBytes,
  });
  try {
    const receipt = await producer.enqueue({ target: { id: target, labels }, lockfiles, partial, scan });
    return { ...receipt, lockfiles: lockfiles.map(({ path }) => path) };
  } finally {
    await producer.close();
  }
}
