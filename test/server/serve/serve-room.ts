import { expect } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { readBundledDescription } from '../../../src/discovery/bundled.ts';
import { findMethod } from '../../../src/discovery/description/methods.ts';
import { type RunningServer, type ServeOptions, startServe } from '../../../src/server/serve.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { closeRedis, connectRedis, type RedisClient } from '../../../src/store/redis/connection.ts';
import { checkAgainstSchema } from '../../discovery/check-against-schema.ts';
import { startRedis, type TestRedis } from '../../redis.ts';
import { openFleet } from '../../store/fleet/fleet-room.ts';
import { until } from '../../until.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
  readonly json: any;
}

/** A server on an engine of its own. */
export async function openServeRoom({
  shards = 1,
  page,
}: {
  readonly shards?: number;
  readonly page?: URL;
} = {}) {
  const valkey: TestRedis = await startRedis();
  const redis: RedisClient = await connectRedis({ urls: valkey.url });
  const started: RunningServer[] = [];
  const environment = {
    REDIS_URL: valkey.url,
    LOCKHOUND_REDIS_SHARDS: String(shards),
    LOCKHOUND_LOG_LEVEL: 'silent',
  };
  const document = await readBundledDescription('lockhound.v1');
  return {
    url: valkey.url,
    redis,
    valkey,
    environment,
    fleets: [...Array(shards).keys()].map((index) =>
      openFleet(redis, shards === 1 ? createKeys().prefix : 'lockhound', { shard: { index, count: shards } }),
    ),
    /** Starts another server, and waits until it has read the fleet. `variables` override the configuration. `token`: for that wait. */
    async serve(
      variables: Readonly<Record<string, string>> = {},
      token?: string,
      options: ServeOptions = {},
    ) {
      const loaded = loadConfig({ environment: { ...environment, ...variables } });
      const server = await startServe(loaded, { port: 0, page, ...options });
      started.push(server);
      const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
        const answer = await fetch(`${server.url}${path}`, init);
        const text = await answer.text();
        const isJson = /json/.test(answer.headers.get('content-type') ?? '');
        return {
          status: answer.status,
          headers: answer.headers,
          text,
          json: isJson && text !== '' ? JSON.parse(text) : undefined,
        };
      };
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      await until(
        'the fleet is read',
        async () => (await request('/api/v1/fleet', { headers })).status === 200,
      );
      return {
        server,
        request,
        /** Calls a method by its path, and checks the answer against its schema. */
        async read(method: string, path: string) {
          const answer = await request(`/api/v1/${path}`);
          expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([path, 200, '']);
          const { response = '' } = findMethod(document, method);
          expect(checkAgainstSchema(document, response, answer.json, method)).toEqual([]);
          return answer.json;
        },
      };
    },
    async close() {
      for (const server of started) await server.close();
      await closeRedis(redis);
      await valkey.close();
    },
  };
}
