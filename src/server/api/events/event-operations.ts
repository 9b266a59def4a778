import pLimit, { type LimitFunction } from 'p-limit';
import { Refusal } from '../../../operations/refusal.ts';
import { DELIVERY_INDEXES } from '../../../store/alerts/delivery-lists.ts';
import type { ServeContext } from '../../serve-context.ts';
import { type HttpCall, type HttpOperations, StreamAnswer } from '../http-operation.ts';
import type { EventLog, FleetEvent, LoggedEvent, ResumePoint, Topic } from './event-log.ts';
import { createEventLog, TOPICS } from './event-log.ts';
import { beginEventStream, type EventStream, type StreamedEvent } from './event-stream.ts';
import { changeEvent, deliveryEvent, followStore, scanEvent } from './follow-store.ts';

/** Readers of one server, and of one caller. */
const MAX_READERS = 500;
const MAX_READERS_OF_ONE = 100;
/** The bytes that may wait for a reader, and for all of them together. */
const MAX_BYTES_OF_ONE = 1_000_000;
const MAX_BYTES = 64_000_000;
/** Readers whose missed events are read from the store at the same time. */
const MAX_REPLAYS = 4;
/** Events that may happen while a reader gets those that it missed. */
const MAX_WAITING = 5_000;
type StreamCall = HttpCall<'lockhound.events.stream'>;

/** Changes and scans as they happen. Reads the store as long as the server runs, from the first reader on. */
export function eventOperations(context: ServeContext) {
  const log = createEventLog();
  const limited = pLimit(MAX_REPLAYS);
  const { shards } = context.fleet;
  const readers = createReaderCount();
  let following: ReturnType<typeof followStore> | undefined;
  const begin = async () => {
    const { onUnreadable } = context.fleet;
    following ??= followStore({ shards, add: log.add, onUnreadable, onFailure: context.onEventFailure });
    const own = following;
    try {
      await own.begun;
    } catch (error) {
      // The next reader begins anew.
      if (following === own) following = undefined;
      await own.close();
      throw error;
    }
  };
  const operations: Pick<HttpOperations, 'lockhound.events.stream'> = {
    async 'lockhound.events.stream'(call) {
      const lastId = call.request.headers['last-event-id'];
      const resume = () => (typeof lastId === 'string' ? log.resume(lastId) : undefined);
      if (lastId !== undefined && resume() === undefined) {
        throw new Refusal(400, 'event-id-invalid', 'Last-Event-ID is not the id of an event of this API');
      }
      await begin();
      const leave = readers.enter(call.principal);
      return new StreamAnswer(async (raw, headers) => {
        try {
          const point = resume();
          const { isAllowed } = call;
          const stream = beginEventStream(raw, headers, { isAllowed, maxWaiting: readers.maxBytes });
          await sendEvents(context, call, { stream, log, point, limited });
        } finally {
          leave();
        }
      });
    },
  };
  return { operations, close: async () => await following?.close() };
}

/** Counts the readers, so that one caller cannot take the places of all others. */
function createReaderCount() {
  const byCaller = new Map<string, number>();
  let all = 0;
  const add = (caller: string, count: number): void => {
    all += count;
    const own = (byCaller.get(caller) ?? 0) + count;
    if (own === 0) byCaller.delete(caller);
    else byCaller.set(caller, own);
  };
  return {
    /** The bytes that may wait for each reader now. */
    maxBytes: () => Math.min(MAX_BYTES_OF_ONE, MAX_BYTES / Math.max(1, all)),
    /** Returns a function that ends it. Throws `Refusal` when there are too many readers. */
    enter({ name, identity }: StreamCall['principal']): () => void {
      const retryAfter = 30;
      if (all >= MAX_READERS)
        throw new Refusal(503, 'too-many-readers', `${all} readers are connected`, { retryAfter });
      if ((byCaller.get(identity) ?? 0) >= MAX_READERS_OF_ONE) {
        const detail = `${MAX_READERS_OF_ONE} readers of ${name} are connected`;
        throw new Refusal(429, 'too-many-readers', detail, { retryAfter });
      }
      add(identity, 1);
      return () => add(identity, -1);
    },
  };
}

interface Reader {
  readonly stream: EventStream;
  readonly log: EventLog;
  readonly point: ResumePoint | undefined;
  readonly limited: LimitFunction;
}

/** Sends what the reader missed, then each event as it happens, until the reader has gone. */
async function sendEvents(
  context: ServeContext,
  { params, principal }: StreamCall,
  { stream, log, point, limited }: Reader,
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
    else if (waiting.length < MAX_WAITING) waiting.push(event);
    else stream.end();
  });
  try {
    const replayed =
      point?.kind === 'stored'
        ? await limited(
            async () => await stream.replay(await missedSince(context, point.since, topics, fits)),
          )
        : await stream.replay((point?.events ?? []).filter(fits));
    if (!replayed) return;
    while (waiting.length > 0) if (!(await stream.replay(waiting.splice(0)))) return;
    isLive = true;
    await stream.ended;
  } finally {
    end();
  }
}

/** Events of one topic and shard that a reader gets, and those that are looked at for it. */
const MAX_STORED = 5_000;
const MAX_READ = 50_000;
/** The overlap in ms: what was saved at about the same time may have been sent already. */
const OVERLAP_MS = 10_000;
const DAY_MS = 86_400_000;
/** How long the store has what happened. */
const KEPT_MS: Readonly<Record<Topic, number>> = {
  changes: 90 * DAY_MS,
  scans: 30 * DAY_MS,
  deliveries: 30 * DAY_MS,
};

/**
 * The events that a reader missed since a time (ms since 1970), oldest first, from the store. Begins with an event `gap` for each topic of
 * which the store has not everything: `from` and `until` say what is missing.
 */
async function missedSince(
  { fleet }: Pick<ServeContext, 'fleet'>,
  since: number,
  topics: readonly string[],
  fits: (event: FleetEvent) => boolean,
): Promise<readonly StreamedEvent[]> {
  const from = since - OVERLAP_MS;
  const found: FleetEvent[] = [];
  const gaps = new Map<Topic, number>();
  const add = async (topic: Topic, events: AsyncIterable<FleetEvent>): Promise<void> => {
    if (!topics.includes(topic)) return;
    const kept = Date.now() - KEPT_MS[topic];
    const lose = (until: number): void => void gaps.set(topic, Math.max(until, gaps.get(topic) ?? 0));
    if (since < kept) lose(kept);
    let [read, fitting] = [0, 0];
    for await (const event of events) {
      // The events of others do not take the place of those of the reader.
      if (fitting === MAX_STORED || read === MAX_READ) return lose(event.at);
      read += 1;
      if (!fits(event)) continue;
      fitting += 1;
      found.push(event);
    }
  };
  for (const { changeLog, scans, deliveries } of fleet.shards) {
    await add('changes', mapped(changeLog.since(from, fleet.onUnreadable), changeEvent));
    await add(
      'scans',
      mapped(scans.newest({ since: from }), ({ scan }) => scanEvent(scan)),
    );
    for (const kind of DELIVERY_INDEXES) {
      await add(
        'deliveries',
        mapped(deliveries.newest(kind, { since: from }), ({ delivery }) => deliveryEvent(delivery)),
      );
    }
  }
  const missing = [...gaps].map(([topic, until]): StreamedEvent => {
    const [begin, end] = [since, until].map((time) => new Date(time).toISOString());
    return { topic: 'gap', data: JSON.stringify({ topic, from: begin, until: end }) };
  });
  return [...missing, ...found.sort((left, right) => left.at - right.at)];
}

async function* mapped<From, To>(all: AsyncIterable<From>, map: (one: From) => To): AsyncGenerator<To> {
  for await (const one of all) yield map(one);
}
