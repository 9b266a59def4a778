import { randomBytes } from 'node:crypto';

/** What an event is about. */
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
  /** Event id of the stream: the log, a number in it, and the time of the event. */
  readonly id: string;
}

/** The last events of this server, so that a reader that was away for a moment misses none. */
export type EventLog = ReturnType<typeof createEventLog>;

/** The place after which a reader continues. */
export type ResumePoint =
  /** This server has all later events. */
  | { readonly kind: 'logged'; readonly events: readonly LoggedEvent[] }
  /** It does not: the store has those from this time on. */
  | { readonly kind: 'stored'; readonly since: number };

const MAX_EVENTS = 5_000;
const MAX_CHARACTERS = 8_000_000;

export function createEventLog(maxEvents = MAX_EVENTS, maxCharacters = MAX_CHARACTERS) {
  const name = randomBytes(6).toString('hex');
  const events: LoggedEvent[] = [];
  const readers = new Set<(event: LoggedEvent) => void>();
  let count = 0;
  let characters = 0;
  return {
    add(event: FleetEvent): void {
      count += 1;
      const logged = { ...event, id: `${name}-${count}-${event.at}` };
      events.push(logged);
      characters += event.data.length;
      while (events.length > maxEvents || (characters > maxCharacters && events.length > 1)) {
        characters -= events.shift()?.data.length ?? 0;
      }
      for (const read of [...readers]) read(logged);
    },
    /** Calls `read` for each further event. Returns a function that ends it. */
    follow(read: (event: LoggedEvent) => void): () => void {
      readers.add(read);
      return () => void readers.delete(read);
    },
    /** Where a reader continues that saw this event last. `undefined` for a text that is no event id. */
    resume(id: string): ResumePoint | undefined {
      const [, log, number, at] = /^([0-9a-f]{12})-(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
      if (log === undefined) return undefined;
      const next = Number(number) + 1;
      const first = count - events.length + 1;
      if (log !== name || next < first || next > count + 1) return { kind: 'stored', since: Number(at) };
      return { kind: 'logged', events: events.slice(next - first) };
    },
  };
}
