import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { EXIT } from './errors.ts';

/** The streams to which a command writes. */
export interface Output {
  /** Results. */
  out(text: string): void;
  /** Resolves when what `out` buffered is written. Missing when it does not buffer. */
  drained?(): Promise<void>;
}

/**
 * Writes to standard output or standard error. A reader that stops early (`| head`) is not an error: the process ends. Any other failure
 * ends it with exit code 2: a scan must not end as if it had only findings.
 */
export function outputTo(descriptor: 1 | 2): Output {
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(EXIT.clean);
    const text = `error: standard output cannot be written: ${message} [file-unwritable]\n`;
    if (descriptor === 1) writeSync(2, text);
    process.exit(EXIT.error);
  });
  return {
    out: (text) => void stream.write(text),
    async drained() {
      if (stream.writableNeedDrain) await once(stream, 'drain');
    },
  };
}

const WRITE_CHARACTERS = 65_536;

/** Writes parts together, and waits while the reader is slower: a whole result takes several megabytes. */
export async function writeParts(
  terminal: Output,
  parts: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length < WRITE_CHARACTERS) continue;
    terminal.out(text);
    text = '';
    await terminal.drained?.();
  }
  terminal.out(text);
}
