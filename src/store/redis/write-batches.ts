import type { Redis } from 'ioredis';

/**
 * Sends commands that are issued in one turn of the event loop in one write. Jobs that run concurrently issue several, because their
 * answers arrive together, and each write is a system call. Nothing waits longer: the write follows the promises of the turn.
 */
export function batchWrites(client: Redis): void {
  client.on('connect', () => {
    const { stream } = client;
    const write = stream.write;
    stream.write = (...message: unknown[]): boolean => {
      if (stream.writableCorked === 0) {
        stream.cork();
        process.nextTick(() => stream.uncork());
      }
      return Reflect.apply(write, stream, message);
    };
  });
}
