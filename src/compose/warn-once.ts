import type { Log } from './deferred-log.ts';

/** Logs each place of an answer once per process: a service that changed has the same problem with every package. */
export function warnOnce(log: Pick<Log, 'warn'>) {
  const logged = new Set<string>();
  return ({ path, message }: { readonly path: string; readonly message: string }, subject: string): void => {
    const place = path.replace(/\[\d+\]/g, '[]');
    if (logged.has(place)) return;
    logged.add(place);
    log.warn({ subject, path, message }, 'an insights answer does not match its description');
  };
}
