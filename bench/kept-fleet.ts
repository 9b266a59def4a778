import { basename, dirname } from 'node:path';
import type { Store } from '../src/compose/store.ts';
import type { NativeRedis } from '../test/native-redis.ts';
import { drawFleet, type Filled, type FleetSize, fillFleet } from './fleet-fill.ts';

/** An RDB file that keeps the filled Redis for the next run of the same size. */
export const KEPT = process.env['FLEET_FILE'];
/** The targets count as judged by the settings of the worker, so that only refreshes are measured. */
export const IS_JUDGED = process.env['FLEET_JUDGED'] === '1';

/** Options of a Redis that reads this file when it starts, and saves to it. */
export function fileOptions(file: string): readonly string[] {
  return ['--dir', dirname(file), '--dbfilename', basename(file)];
}

/** The fleet that Redis has read from the kept file, or a new one. */
export async function keptFleet(
  store: Store,
  redis: NativeRedis,
  size: FleetSize,
): Promise<{ readonly filled: Filled; readonly isKept: boolean }> {
  const isKept = (await store.fleet.allTargets()).length === size.targets;
  if (isKept) return { filled: drawFleet(size), isKept };
  await redis.call('FLUSHALL');
  const filled = await fillFleet(store, size);
  if (KEPT !== undefined) await redis.call('SAVE');
  return { filled, isKept };
}
