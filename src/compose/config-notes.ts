import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import { IGNORED_LINKS } from '../config/service-links.ts';

/** Statements in one line of the log. */
const MAX_LOGGED = 20;

/** Logs what of the configuration was not applied: variables of Kubernetes, and statements of VEX documents in one line. */
export function logConfigNotes({ vexNotApplied: all = [], serviceLinks }: LoadedConfig, log: Logger): void {
  if (serviceLinks !== undefined) log.info({ variables: serviceLinks }, IGNORED_LINKS);
  if (all.length === 0) return;
  const statements = all.slice(0, MAX_LOGGED).map(({ path, line, reason }) => `${path}:${line}: ${reason}`);
  log.warn(
    { count: all.length, statements },
    'statements of VEX documents were not applied and suppress nothing: `lockhound config check --json` lists all',
  );
}
