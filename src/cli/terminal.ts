import { isatty } from 'node:tty';

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
  /** What commands read; standard input unless given. */
  readonly input?: NodeJS.ReadableStream;
  /** Asks a question that is answered with yes or no; not there where nobody can be asked. */
  confirm?(question: string): Promise<boolean>;
}

const DEFAULT_WIDTH = 100;

/** The process's own streams. Colours and redrawing only on a terminal; `NO_COLOR` is honoured by Node's own check. */
export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  // Who reads the results may stop early (`| head`): nothing more is wanted then, and nothing went wrong.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  return {
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    colour: stdout.isTTY === true && stdout.hasColors(),
    interactive: stderr.isTTY === true && stderr.hasColors(),
    width: stdout.columns ?? DEFAULT_WIDTH,
    ...(isatty(0) && isatty(2) ? { confirm } : {}),
  };
}

/** Only a `y` or `yes` is one. */
async function confirm(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
