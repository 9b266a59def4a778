import { format } from 'node:util';
import type { Logger } from 'pino';
import { logThrottled } from '../workers/throttled-log.ts';

const METHODS = ['log', 'info', 'debug', 'warn', 'error', 'trace'] as const;

/**
 * Has the log take what libraries write by `console`: BullMQ and ioredis print advice and stack traces there, past masking
 * and levels. Gives a function that undoes it.
 */
export function captureConsole(log: Logger): () => void {
  const { console: target } = globalThis;
  const tell = logThrottled(log, 'a library wrote to the console');
  const before = METHODS.map((method) => [method, target[method]] as const);
  for (const method of METHODS) target[method] = (...args: unknown[]) => tell(new Error(format(...args)));
  return () => {
    for (const [method, original] of before) target[method] = original;
  };
}
