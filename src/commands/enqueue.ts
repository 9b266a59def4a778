import { createLogger } from '../compose/logger.ts';
import { redisUrls } from '../compose/redis-connection.ts';
import { requireRedisUrl } from '../compose/redis-url.ts';
import { openTracing } from '../compose/tracing.ts';
import type { LoadedConfig } from '../config/load.ts';
import { createProducer } from '../producer.ts';
import { readLockfilePaths } from './lockfile-paths.ts';
import { type ImagePath, readScannedImage } from './scanned-image.ts';

export interface EnqueueOptions {
  /** May be empty where there is an image. */
  readonly paths: readonly string[];
  readonly image?: ImagePath | undefined;
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly scan?: string | undefined;
  readonly format?: string | undefined;
  /** The paths contain only some of the target's lockfiles. */
  readonly partial?: boolean;
  readonly signal: AbortSignal;
}

/** The `enqueue` command: finds lockfiles, reads an image, and puts them on the queue, as any producer does. */
export async function enqueuePaths(loaded: LoadedConfig, options: EnqueueOptions) {
  const { config, secrets } = loaded;
  const { paths, image: imagePath, target, labels, scan, format, partial = false, signal } = options;
  const url = requireRedisUrl(loaded);
  const { maxBytes, retention } = config.lockfiles;
  const image = await readScannedImage(imagePath);
  const lockfiles = paths.length === 0 ? [] : await readLockfilePaths({ paths, signal, maxBytes, format });
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
    const receipt = await producer.enqueue({
      target: { id: target, labels },
      lockfiles,
      image,
      partial,
      scan,
    });
    return {
      ...receipt,
      lockfiles: lockfiles.map(({ path }) => path),
      ...(image === undefined ? {} : { image: image.reference ?? image.digest }),
    };
  } finally {
    await producer.close();
    await tracing?.close();
  }
}
