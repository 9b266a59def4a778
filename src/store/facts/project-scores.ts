import { chunks } from '../../model/chunks.ts';
import type { ProjectScores } from '../../model/ports/project-scores.ts';
import type { ProjectScore } from '../../model/signal/project-score.ts';
import { PROJECT_SCORE } from '../../model/stored/catalog.ts';
import type { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { readValue, reportTo, writeText } from '../values/stored-values.ts';

const CHUNK = 500;
/** At a kilobyte each, some 20 MB. */
const MAX_PROJECTS = 20_000;

/** Scorecards in Redis, common to all shards. One that cannot be read counts as unknown. */
export function createProjectScores(
  redis: RedisClient,
  { projects, projectOrder }: Pick<Keys, 'projects' | 'projectOrder'>,
  onUnreadable: (error: StoreError) => void = () => {},
  now: () => number = Date.now,
): ProjectScores {
  const parse = async (field: string, text: string | null): Promise<ProjectScore | undefined> => {
    if (text === null) return undefined;
    const place = { key: projects, field, remedy: 'Delete the field; it is looked up again.' };
    return await readValue(PROJECT_SCORE, text, place).catch(reportTo(onUnreadable));
  };
  return {
    async read(ids) {
      const found: (ProjectScore | undefined)[] = [];
      for (const part of chunks(ids, CHUNK)) {
        const texts = await redis.hmget(projects, ...part);
        for (const [index, id] of part.entries()) found.push(await parse(id, texts[index] ?? null));
      }
      return found;
    },
    async store(entries) {
      for (const part of chunks(entries, CHUNK)) {
        const values = part.flatMap(([id, score]) => [id, writeText(PROJECT_SCORE, score)]);
        await runScript(redis, STORE, [projects, projectOrder], [now(), MAX_PROJECTS, ...values]);
      }
    },
    ids: () => redis.hkeys(projects),
  };
}

/**
 * Stores scores, and removes those that were stored longest ago when there are too many.
 *
 * Keys: scores by project (hash), projects by the time of the last score (sorted set). Arguments: time in ms, largest number, then for each:
 * id, text.
 */
const STORE = defineScript(`
for at = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  redis.call('ZADD', KEYS[2], ARGV[1], ARGV[at])
end
local excess = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[2])
if excess > 0 then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, excess - 1)) do
    redis.call('HDEL', KEYS[1], id)
    redis.call('ZREM', KEYS[2], id)
  end
end
return 1
`);
