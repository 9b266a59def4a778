/** What a command writes to and reads from; tests hand in their own. */
export interface Terminal {
  /** Results. */
  out(text: string): void;
  /** Progress, notes and errors. */
  note(text: string): void;
  /** Whether results may be coloured. */
  readonly colour: boolean;
  /** Whether notes go to a terminal that can redraw a line, and may be coloured. */
  readonly interactive: boolean;
  readonly width: number;
}

const DEFAULT_WIDTH = 100;

/** The process's own streams. Colours and redrawing only on a terminal; `NO_COLOR` is honoured by Node's own check. */
export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  // `lockhound … | head`: whoever read has enough, and nothing went wrong.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  return {
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    colour: stdout.isTTY === true && stdout.hasColors(),
    interactive: stderr.isTTY === true && stderr.hasColors(),
    width: stdout.columns ?? DEFAULT_WIDTH,
  };
}
