import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setInterval, setTimeout } from 'node:timers';
import type { FleetEvent } from './event-log.ts';

export interface EventStreamOptions {
  /** Time between two comments that keep the connection open, in milliseconds. Default 15,000. */
  readonly heartbeatMs?: number;
  /** Longest duration of a stream; the reader connects again. Default 1 h. */
  readonly maxMs?: number;
  /** The bytes that may wait for the reader now. Default 1 MB. */
  readonly maxWaiting?: () => number;
  /** Longest duration of a replay. Default 30 s. */
  readonly maxReplayMs?: number;
  /** Whether the reader may still read; checked with each heartbeat. */
  readonly isAllowed: () => Promise<boolean>;
}

export interface StreamedEvent extends Pick<FleetEvent, 'data'> {
  readonly topic: FleetEvent['topic'] | 'gap';
  readonly id?: string;
}

/** A stream of events to one reader (`text/event-stream`). */
export interface EventStream {
  send(event: StreamedEvent): void;
  /** Sends earlier events as fast as the reader reads them. Resolves to false when it took too long, or the reader has gone. */
  replay(events: Iterable<StreamedEvent>): Promise<boolean>;
  /** Ends the stream; the reader connects again and continues. */
  end(): void;
  /** Resolves when the reader has gone or the stream was ended. */
  readonly ended: Promise<void>;
}

/**
 * Begins the answer. A reader that does not read fast enough is disconnected: it connects again with `Last-Event-ID` and misses
 * nothing, and the server keeps little in memory for it.
 */
export function beginEventStream(
  raw: ServerResponse,
  headers: Readonly<Record<string, string>>,
  options: EventStreamOptions,
): EventStream {
  const { heartbeatMs = 15_000, maxMs = 3_600_000, maxReplayMs = 30_000 } = options;
  const { maxWaiting = () => 1_000_000, isAllowed } = options;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const began = performance.now();
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  const write = (text: string): void => {
    if (raw.destroyed || raw.writableEnded) return;
    raw.write(text);
    if (raw.writableLength > maxWaiting()) raw.destroy();
  };
  const beat = setInterval(async () => {
    const isOver = performance.now() - began > maxMs || !(await isAllowed().catch(() => false));
    if (isOver) raw.end();
    else write(': \n\n');
  }, heartbeatMs).unref();
  raw.once('close', () => {
    clearInterval(beat);
    resolve();
  });
  raw.once('error', () => raw.destroy());
  write('retry: 2000\n\n');
  // JSON has no line breaks.
  const textOf = ({ id, topic, data }: StreamedEvent): string =>
    `${id === undefined ? '' : `id: ${id}\n`}event: ${topic}\ndata: ${data}\n\n`;
  return {
    send: (event) => write(textOf(event)),
    async replay(events) {
      const late = setTimeout(() => raw.destroy(), maxReplayMs).unref();
      try {
        for (const event of events) {
          if (raw.destroyed || raw.writableEnded) return false;
          if (!raw.write(textOf(event))) await Promise.race([once(raw, 'drain').catch(() => {}), ended]);
        }
        return !raw.destroyed;
      } finally {
        clearTimeout(late);
      }
    },
    end: () => void raw.end(),
    ended,
  };
}
