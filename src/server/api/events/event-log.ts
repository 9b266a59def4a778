import { randomBytes } from 'node:crypto';

/** The subject of an event. */
export const TOPICS = ['changes', 'scans', 'deliveries'] as const;
export type Topic = (typeof TOPICS)[number];

/** Something that happened in the fleet. */
export interface FleetEvent {
  readonly topic: Topic;
  readonly target: string;
  /** ms since 1970, by the clock of Redis or of a worker. */
  readonly at: number;
  /** JSON of the event. */
  readonly data: string;
}

export interface LoggedEvent extends FleetEvent {
  /** Event id of the stream: random, so that it does not tell how much happens elsewhere, and the time of the event. */
  readonly id: string;
}

/** The last events of this server, so that a reader that was away for a moment misses none. */
export type EventLog = ReturnType<typeof createEventLog>;

/** The place after which a reader continues. */
export type ResumePoint =
  /** This server has all later events. */
  | { readonly kind: 'logged'; readonly events: readonly LoggedEvent[] }
  /** The log does not have them: the store has those from this time on. */
  | { readonly kind: 'stored'; readonly since: number };

const MAX_EVENTS = 5_000;
const MAX_CHARACTERS = 8_000_000;

export function createEventLog(maxEvents = MAX_EVENTS, maxCharacters = MAX_CHARACTERS) {
  const events: LoggedEvent[] = [];
  const readers = new Set<(event: LoggedEvent) => void>();
  /** Numbers of the events by their ids, from 1. */
  const numbers = new Map<string, number>();
  let dropped = '';
  let count = 0;
  let characters = 0;
  return {
    add(event: FleetEvent): void {
      count += 1;
      const logged = { ...event, id: `${randomBytes(8).toString('hex')}-${event.at}` };
      events.push(logged);
      numbers.set(logged.id, count);
      characters += event.data.length;
      while (events.length > maxEvents || (characters > maxCharacters && events.length > 1)) {
        const first = events.shift();
        characters -= first?.data.length ?? 0;
        // A reader that saw the last one that is gone has missed none.
        numbers.delete(dropped);
        dropped = first?.id ?? '';
      }
      for (const read of [...readers]) read(logged);
    },
    /** Calls `read` for each further event. Returns a function that ends it. */
    follow(read: (event: LoggedEvent) => void): () => void {
      readers.add(read);
      return () => void readers.delete(read);
    },
    /** The point at which a reader continues that saw this event last. `undefined` for a text that is no event id. */
    resume(id: string): ResumePoint | undefined {
      const [, at] = /^[0-9a-f]{12,16}-(?:\d{1,15}-)?(\d{1,15})$/.exec(id) ?? [];
      if (at === undefined) return undefined;
      const number = numbers.get(id);
      if (number === undefined) return { kind: 'stored', since: Number(at) };
      return { kind: 'logged', events: events.slice(number - (count - events.length)) };
    },
  };
}
