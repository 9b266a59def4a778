import type { LanePlace, Turn } from '../model/lane.ts';
import type { RedisClient } from './connection.ts';
import type { Keys } from './keys.ts';
import { LEAVE_LANE, LOOK_UP_TURN, TAKE_PLACE } from './scripts/lanes.lua.ts';
import { runScript } from './scripts/run-script.ts';

/** Rows of job ids, each of which waits for those before it. An empty row is no key. */
export interface LaneStore {
  /** Takes the last place, unless the id has one already. Outcomes take places by themselves (`outcomes.ts`). */
  take(place: LanePlace): Promise<void>;
  turn(place: LanePlace): Promise<Turn>;
  /** Gives the place up; answers who is first now. */
  leave(place: LanePlace): Promise<string | undefined>;
}

export function createLaneStore(redis: RedisClient, keys: Keys): LaneStore {
  return {
    async take({ lane, id }) {
      await runScript(redis, TAKE_PLACE, [keys.lane(lane)], [id]);
    },
    async turn({ lane, id }) {
      const first = textOf(await runScript(redis, LOOK_UP_TURN, [keys.lane(lane)], [id]));
      if (first === undefined) return { kind: 'absent' };
      return first === id ? { kind: 'first' } : { kind: 'waiting', first };
    },
    async leave({ lane, id }) {
      return textOf(await runScript(redis, LEAVE_LANE, [keys.lane(lane)], [id]));
    },
  };
}

function textOf(answer: unknown): string | undefined {
  return Buffer.isBuffer(answer) ? answer.toString('utf8') : undefined;
}
