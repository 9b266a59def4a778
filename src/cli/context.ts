import type { Terminal } from './terminal.ts';

/** What a command works with. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Sets the exit code of the process; 0 when it is not called. */
  exit(code: number): void;
}
