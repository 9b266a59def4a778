import { isatty } from 'node:tty';

/** The input and output of a command. */
export interface Terminal {
  /** Results. */
  out(text: string): void;
  /** Resolves when what `out` buffered is written. Missing when it does not buffer. */
  drained?(): Promise<void>;
  /** Progress, notes and errors. */
  note(text: string): void;
  /** Whether results may be coloured. */
  readonly colour: boolean;
  /** Whether the terminal shows links in results (OSC 8). Missing when results do not go to one. */
  showsLinks?(): Promise<boolean>;
  /** Whether notes go to a terminal that can redraw a line, and may be coloured. */
  readonly interactive: boolean;
  /** Columns for results; `Infinity` when they do not go to a terminal, so that lines are not wrapped. */
  readonly width: number;
  /** Columns for notes. */
  readonly noteWidth: number;
  /** Default: standard input. */
  readonly input?: NodeJS.ReadableStream;
  /** Asks a question with the answers yes and no. Missing when the command is not interactive. */
  confirm?(question: string): Promise<boolean>;
}

const DEFAULT_NOTE_WIDTH = 80;

/** The streams of the process. Colours and redrawing require a terminal; Node honours `NO_COLOR`. */
export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  // A reader that stops early (`| head`) is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  return {
    out: (text) => void stdout.write(text),
    async drained() {
      if (stdout.writableNeedDrain) await new Promise((resolve) => stdout.once('drain', resolve));
    },
    note: (text) => void stderr.write(text),
    colour: stdout.isTTY === true && stdout.hasColors(),
    interactive: stderr.isTTY === true && stderr.hasColors(),
    width: stdout.columns ?? Number.POSITIVE_INFINITY,
    noteWidth: stderr.columns ?? DEFAULT_NOTE_WIDTH,
    ...(stdout.isTTY === true ? { showsLinks } : {}),
    ...(isatty(0) && isatty(2) ? { confirm } : {}),
  };
}

/** What is known of terminals, and of `FORCE_HYPERLINK`. */
async function showsLinks(): Promise<boolean> {
  const { default: supported } = await import('supports-hyperlinks');
  return supported.stdout;
}

/** `y` and `yes` confirm; anything else declines. */
async function confirm(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
