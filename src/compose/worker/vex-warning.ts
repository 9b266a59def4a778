import type { Logger } from 'pino';
import type { LoadedConfig } from '../../config/load.ts';

/** Statements in one line of the log. */
const MAX_LOGGED = 20;

/** Logs the statements of the VEX documents of the configuration that were not applied, in one line. */
export function warnOfVex({ vexNotApplied: all = [] }: LoadedConfig, log: Logger): void {
  if (all.length === 0) return;
  const statements = all.slice(0, MAX_LOGGED).map(({ path, line, reason }) => `${path}:${line}: ${reason}`);
  log.warn(
    { count: all.length, statements },
    'statements of VEX documents were not applied and suppress nothing: `lockhound config check --json` lists all',
  );
}
