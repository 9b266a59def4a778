import { z } from 'zod';
import type { AppliedObject, AppliedObjects } from '../model/ports/applied-objects.ts';
import type { RedisClient } from './connection.ts';
import type { Keys } from './keys.ts';

const schema = z.object({ name: z.string(), fields: z.record(z.string(), z.string()) });

export function createAppliedObjects(redis: RedisClient, keys: Keys): AppliedObjects {
  return {
    async read(account) {
      const stored = await redis.hgetall(keys.applied(account));
      const entries = Object.entries(stored).flatMap(([id, text]): [string, AppliedObject][] => {
        const read = schema.safeParse(parse(text));
        // What cannot be read was never applied, as far as anybody knows: it is applied again.
        return read.success ? [[id, read.data]] : [];
      });
      return new Map(entries);
    },
    async write(account, id, { name, fields }) {
      await redis.hset(keys.applied(account), id, JSON.stringify({ name, fields }));
    },
    async remove(account, id) {
      await redis.hdel(keys.applied(account), id);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
