import { type InsightsServiceOptions, startInsightsService } from '../../../src/embedded/insights/service.ts';
import { createApiTokenStore } from '../../../src/store/api-tokens.ts';
import type { openFleet } from '../../store/fleet/fleet-room.ts';
import { newTokens } from './new-token.ts';
import { openServeRoom } from './serve-room.ts';

type Fleet = ReturnType<typeof openFleet>;

/**
 * A server with its own engine and package-insights service. `fill` saves the targets. Tokens: for all targets, and for those of `a/`
 * alone.
 */
export async function openGateRoom(
  fill: (fleet: Fleet) => Promise<void> = async () => {},
  options: InsightsServiceOptions = {},
) {
  const insights = await startInsightsService(options);
  const room = await openServeRoom();
  const fleet = room.fleets[0] as Fleet;
  await fill(fleet);
  const store = newTokens(createApiTokenStore(room.redis, fleet.keys));
  const create = async (name: string, targets?: string[]) =>
    (await store.create({ name, role: 'read', ...(targets && { targets }) })).token;
  const tokens = { all: await create('all'), team: await create('team', ['a/*']) };
  const serve = (variables: Readonly<Record<string, string>> = {}) =>
    room.serve({ LOCKHOUND_INSIGHTS_URL: insights.url, ...variables }, tokens.all);
  return {
    insights,
    room,
    fleet,
    tokens,
    serve,
    api: await serve(),
    async close() {
      await room.close();
      await insights.close();
    },
  };
}

export type GateRoom = Awaited<ReturnType<typeof openGateRoom>>;
