import { z } from 'zod';
import { redisUrlList } from '../../model/queue/redis-urls.ts';
import { secretReference } from '../secret-reference.ts';

function isRedisUrl(text: string): boolean {
  return /^(?:(?:redis|valkey)s?|rediss?\+sentinel):$/.test(URL.parse(text.trim())?.protocol ?? '');
}

const redisSettings = z.strictObject({
  url: z
    .string()
    .refine((urls) => redisUrlList(urls).every(isRedisUrl), {
      error: 'a `redis://`, `rediss://` or `redis+sentinel://host,host/name` URL',
    })
    .optional()
    .describe(
      'Redis or Valkey; several URLs with commas for a cluster or Sentinels. Unset: a worker starts only with `--ephemeral`, and keeps nothing.',
    ),
  password: secretReference.optional().describe('Password of Redis.'),
  sentinels: z
    .array(
      z
        .string()
        .regex(
          /^(?:rediss?:\/\/)?(?:\[[\da-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?$/,
          '`host:port`, or `rediss://host:port` for TLS',
        ),
    )
    .min(1)
    .optional()
    .describe('Sentinels that know the primary, in place of `redis.url`: `host:port` of each.'),
  master: z
    .string()
    .regex(/^[\w.-]+$/, 'the name that the Sentinels monitor, such as `mymaster`')
    .optional()
    .describe('Name under which the Sentinels monitor Redis.'),
  username: z.string().min(1).optional().describe('User of Redis, with `redis.sentinels`.'),
  sentinelPassword: secretReference.optional().describe('Password of the Sentinels.'),
  prefix: z
    .string()
    .regex(/^\{[A-Za-z0-9_.-]+\}$/, 'a hash tag such as `{lockhound}`: all keys must share one cluster slot')
    .default('{lockhound}')
    .describe('First part of every key.'),
  shards: z
    .int()
    .min(1)
    .max(256)
    .default(1)
    .describe(
      'Number of hash tags over which the targets are spread, for a Redis Cluster. `lockhound shards move` changes it.',
    ),
});

/** The section `redis`. */
export const redis = redisSettings
  .refine(({ sentinels, url }) => sentinels === undefined || url === undefined, {
    error: '`redis.url` (or REDIS_URL) and `redis.sentinels` exclude each other',
    path: ['sentinels'],
  })
  .refine(({ sentinels, master }) => (sentinels === undefined) === (master === undefined), {
    error: '`redis.sentinels` and `redis.master` belong together',
    path: ['master'],
  })
  .refine(
    (all) =>
      all.sentinels !== undefined || (all.username === undefined && all.sentinelPassword === undefined),
    {
      error:
        '`username` and `sentinelPassword` belong to `redis.sentinels`; with `redis.url` the user is in the URL',
      path: ['sentinels'],
    },
  );
