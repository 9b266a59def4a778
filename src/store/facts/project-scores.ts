import type { ProjectScores } from '../../model/ports/shared-state.ts';
import { PROJECT_SCORE } from '../../model/stored/catalog.ts';
import { chunks } from '../../model/yielding.ts';
import type { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { PUT_NEWEST } from '../scripts/put-newest.lua.ts';
import { runScript } from '../scripts/run-script.ts';
import { createHashValues } from '../values/hash-values.ts';
import { writeText } from '../values/stored-values.ts';

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
  const remedy = 'Delete the field; it is looked up again.';
  const scores = createHashValues(redis, PROJECT_SCORE, { key: projects, remedy, onUnreadable });
  return {
    async read(ids) {
      const parts = await Promise.all(chunks(ids, CHUNK).map((part) => scores.some(part)));
      const found = new Map(parts.flat());
      return ids.map((id) => found.get(id));
    },
    async store(entries) {
      for (const part of chunks(entries, CHUNK)) {
        const values = part.flatMap(([id, score]) => [id, writeText(PROJECT_SCORE, score)]);
        await runScript(redis, PUT_NEWEST, [projects, projectOrder], [now(), MAX_PROJECTS, ...values]);
      }
    },
    ids: () => redis.hkeys(projects),
  };
}
