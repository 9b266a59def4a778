import { type Output, outputTo } from './process-output.ts';

/** The input and output of a command. */
export interface Terminal extends Output {
  /** Progress, notes and errors. */
  note(text: string): void;
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

const DEFAULT_COLUMNS = 80;

/** The output of the process. Colours and redrawing require a terminal; Node honours `NO_COLOR`. */
export function processTerminal(): Terminal {
  const results = process.stdout.isTTY ? process.stdout : undefined;
  const notes = process.stderr.isTTY ? process.stderr : undefined;
  return {
    ...outputTo(1),
    note: outputTo(2).out,
    colour: results?.hasColors() === true,
    interactive: notes?.hasColors() === true,
    width: results === undefined ? Number.POSITIVE_INFINITY : columnsOf(results),
    noteWidth: columnsOf(notes),
    ...(results === undefined ? {} : { showsLinks }),
    ...(notes !== undefined && process.stdin.isTTY ? { confirm } : {}),
  };
}

/** A terminal without a size, as some containers and build servers have, says 0. */
function columnsOf(stream: { readonly columns?: number } | undefined): number {
  return stream?.columns || DEFAULT_COLUMNS;
}

/** The answer follows from what is known of terminals, and from `FORCE_HYPERLINK`. */
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

/** The environment of a command. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Sets the exit code of the process; 0 when it is not called. */
  exit(code: number): void;
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGINT: 2, SIGTERM: 15 };

/** The reason of an abort by a signal. */
export class Interruption extends Error {
  /** 128 and the number of the signal, as in shells. */
  readonly exitCode: number;

  constructor(signal: string) {
    super(`interrupted by ${signal}`);
    this.name = 'AbortError';
    this.exitCode = 128 + (SIGNAL_NUMBERS[signal] ?? 0);
  }
}

/** Runs `work` with a signal that aborts on SIGINT or SIGTERM. A second SIGINT ends the process immediately. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted && name === 'SIGINT') process.exit(130);
    controller.abort(new Interruption(name));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    // Timers and requests reject with errors of their own when the signal aborts.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The result of a start; `undefined` when it failed because the signal aborted meanwhile. */
export async function unlessAborted<T>(signal: AbortSignal, start: Promise<T>): Promise<T | undefined> {
  try {
    return await start;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
