import type { Terminal } from './terminal.ts';

/** The environment of a command. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Sets the exit code of the process; 0 when it is not called. */
  exit(code: number): void;
}
