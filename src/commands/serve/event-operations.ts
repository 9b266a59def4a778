import {
  createEventLog,
  type EventLog,
  type FleetEvent,
  type LoggedEvent,
  type ResumePoint,
  TOPICS,
} from '../../server/api/events/event-log.ts';
import { beginEventStream, type EventStream } from '../../server/api/events/event-stream.ts';
import { changeEvent, followStore, scanEvent } from '../../server/api/events/follow-store.ts';
import { type Call, type Operations, StreamAnswer } from '../../server/api/operation.ts';
import { Refusal } from '../../server/api/problem.ts';
import type { ServeContext } from './serve-context.ts';

/** Readers of one server. */
const MAX_READERS = 500;
/** Events of before a reader connected that are read from the store. */
const MAX_STORED = 5_000;
/** What was saved at about the same time may have been sent already. */
const OVERLAP_MS = 10_000;

type StreamCall = Call<'lockhound.events.stream'>;

/** Changes and scans as they happen. Reads the store as long as the server runs, from the first reader on. */
export function eventOperations(context: ServeContext) {
  const log = createEventLog();
  const { shards } = context.fleet;
  let readers = 0;
  let following: ReturnType<typeof followStore> | undefined;
  const begin = () => {
    const { onUnreadable } = context.fleet;
    following ??= followStore({ shards, add: log.add, onUnreadable, onFailure: context.onEventFailure });
    return following.begun;
  };
  const operations: Pick<Operations, 'lockhound.events.stream'> = {
    async 'lockhound.events.stream'(call) {
      if (readers >= MAX_READERS) {
        throw new Refusal(503, 'too-many-readers', `${MAX_READERS} readers are connected`, {
          retryAfter: 30,
        });
      }
      const lastId = call.request.headers['last-event-id'];
      const resume = () => (typeof lastId === 'string' ? log.resume(lastId) : undefined);
      if (lastId !== undefined && resume() === undefined) {
        throw new Refusal(400, 'event-id-invalid', 'Last-Event-ID is not the id of an event of this API');
      }
      await begin();
      return new StreamAnswer(async (raw, headers) => {
        const point = resume();
        const { isAllowed } = call;
        const stream = beginEventStream(raw, headers, { isAllowed });
        readers += 1;
        try {
          await sendEvents(context, call, { stream, log, point });
        } finally {
          readers -= 1;
        }
      });
    },
  };
  return { operations, close: async () => await following?.close() };
}

interface Reader {
  readonly stream: EventStream;
  readonly log: EventLog;
  readonly point: ResumePoint | undefined;
}

/** Sends what the reader missed, then each event as it happens, until the reader has gone. */
async function sendEvents(
  context: ServeContext,
  { params, principal }: StreamCall,
  { stream, log, point }: Reader,
): Promise<void> {
  const topics: readonly string[] = params.topic ?? TOPICS;
  const fits = ({ topic, target }: FleetEvent): boolean =>
    topics.includes(topic) &&
    (params.target === undefined || target === params.target) &&
    principal.sees(target);
  const waiting: LoggedEvent[] = [];
  let isLive = false;
  const end = log.follow((event) => {
    if (!fits(event)) return;
    if (isLive) stream.send(event);
    else waiting.push(event);
  });
  try {
    const missed =
      point?.kind === 'stored' ? await storedSince(context, point.since - OVERLAP_MS) : (point?.events ?? []);
    for (const event of [...missed.filter(fits), ...waiting.splice(0)]) stream.send(event);
    isLive = true;
    await stream.ended;
  } finally {
    end();
  }
}

/** What happened since a time, oldest first: the newest `MAX_STORED` of changes and of scans. */
async function storedSince({ fleet }: ServeContext, since: number): Promise<readonly FleetEvent[]> {
  const found: FleetEvent[] = [];
  for (const { changeLog, scans } of fleet.shards) {
    let left = MAX_STORED;
    for await (const entry of changeLog.since(since, fleet.onUnreadable)) {
      found.push(changeEvent(entry));
      left -= 1;
      if (left === 0) break;
    }
    left = MAX_STORED;
    for await (const { scan } of scans.newest({ since })) {
      found.push(scanEvent(scan));
      left -= 1;
      if (left === 0) break;
    }
  }
  return found.sort((left, right) => left.at - right.at);
}
