import { startValkey } from '../src/embedded/valkey.ts';
import { HAS_REDIS, startNativeRedis } from './native-redis.ts';

/** A Redis of one test file. */
export interface TestRedis {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** Starts a native server, which starts and answers in a fraction of the time of the embedded engine, or that where none is installed. */
export async function startRedis(): Promise<TestRedis> {
  return HAS_REDIS ? await startNativeRedis() : await startValkey();
}
