import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../compose/store.ts';
import { DELIVER_NOTIFICATION } from '../../jobs/payloads/deliver-notification.ts';

/** A job that may run is promoted at once; one that is delayed for longer than this was forgotten. */
const FORGOTTEN_MS = 60_000;
const MAX_OPEN_JOBS = 50_000;
const SECOND_LOOK_MS = 1_000;

/**
 * Names of lanes whose first job will not run soon although it may: it is in no queue, or delayed as if it waited for its turn. Alerts
 * of stopped routes wait on purpose. Looks at 50,000 open jobs at most.
 */
export async function findStillLanes({
  openJobs,
  deliveries,
  queueDepths,
}: Store): Promise<readonly string[]> {
  const stopped = new Set((await deliveries.stoppedRoutes()).map(({ route }) => route));
  const seen = new Set<string>();
  const suspects: { readonly lane: string; readonly job: string; readonly first: string }[] = [];
  let looked = 0;
  for await (const { lane, id, job, data } of openJobs.list()) {
    looked += 1;
    if (looked > MAX_OPEN_JOBS) break;
    if (lane === undefined || seen.has(lane)) continue;
    seen.add(lane);
    if (job === DELIVER_NOTIFICATION.name && stopped.has(routeOf(data.payload))) continue;
    const turn = await openJobs.turn({ lane, id });
    const first = turn.kind === 'waiting' ? turn.first : id;
    if (!(await queueDepths.willRun(job, first, FORGOTTEN_MS))) suspects.push({ lane, job, first });
  }
  if (suspects.length === 0) return [];
  // A lane that went on meanwhile is no fault.
  await sleep(SECOND_LOOK_MS);
  const still: string[] = [];
  for (const { lane, job, first } of suspects) {
    const isFirst = (await openJobs.turn({ lane, id: first })).kind === 'first';
    if (isFirst && !(await queueDepths.willRun(job, first, FORGOTTEN_MS))) still.push(lane);
  }
  return still;
}

function routeOf(payload: unknown): string {
  const route: unknown =
    typeof payload === 'object' && payload !== null && 'route' in payload ? payload.route : '';
  return String(route);
}
