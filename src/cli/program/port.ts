import { InvalidArgumentError } from 'commander';

/** The port of an option; 0: the system chooses one. Throws `InvalidArgumentError`. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('a port from 0 to 65535');
}
