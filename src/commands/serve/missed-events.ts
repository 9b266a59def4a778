import type { FleetEvent, Topic } from '../../server/api/events/event-log.ts';
import type { StreamedEvent } from '../../server/api/events/event-stream.ts';
import { changeEvent, deliveryEvent, scanEvent } from '../../server/api/events/follow-store.ts';
import { DELIVERY_INDEXES } from '../../store/alerts/delivery-lists.ts';
import type { ServeContext } from './serve-context.ts';

/** Events of one topic and shard that a reader gets, and those that are looked at for it. */
const MAX_STORED = 5_000;
const MAX_READ = 50_000;
/** What was saved at about the same time may have been sent already. */
const OVERLAP_MS = 10_000;
const DAY_MS = 86_400_000;
/** How long the store has what happened. */
const KEPT_MS: Readonly<Record<Topic, number>> = {
  changes: 90 * DAY_MS,
  scans: 30 * DAY_MS,
  deliveries: 30 * DAY_MS,
};

/**
 * What a reader missed since a time (ms since 1970), oldest first, from the store. Begins with an event `gap` for each topic of which the
 * store has not everything: `from` and `until` say what is missing.
 */
export async function missedSince(
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
