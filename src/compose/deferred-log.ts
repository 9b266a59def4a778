import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';

type LogLevel = 'error' | 'info' | 'warn';
export type Log = Readonly<
  Record<LogLevel, (facts: Readonly<Record<string, unknown>>, message: string) => void>
>;

/** The levels of the configuration, from the one that writes most. */
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The log of a command that rarely logs anything: the logger is loaded when the first line is written. */
export function createDeferredLog(loaded: LoadedConfig): Log {
  let opened: Promise<Logger> | undefined;
  const at = (level: LogLevel) => (facts: Readonly<Record<string, unknown>>, message: string) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(loaded.config.log.level)) return;
    opened ??= import('./logger.ts').then(({ createLogger }) => createLogger(loaded));
    opened.then((log) => log[level](facts, message));
  };
  return { error: at('error'), warn: at('warn'), info: at('info') };
}
