import { fstatSync, statSync, writeSync } from 'node:fs';
import { EXIT } from './errors.ts';

/** The streams to which a command writes. */
export interface Output {
  /** Results. */
  out(text: string): void;
  /** Resolves when what `out` buffered is written. Missing when it does not buffer. */
  drained?(): Promise<void>;
}

/** Size of the buffer for texts of at most a third as many characters. */
const BUFFER_BYTES = 524_288;

/** Whether a descriptor of the process is a terminal. Loads `node:tty` and its streams for other devices than `/dev/null` only. */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  const stats = fstatSync(descriptor);
  if (!stats.isCharacterDevice()) return false;
  const nothing = statSync('/dev/null', { throwIfNoEntry: false });
  return stats.rdev !== nothing?.rdev && process.getBuiltinModule('node:tty').isatty(descriptor);
}

/**
 * Writes to standard output or standard error. Pipes and files are written directly and in full, because Node's streams take longer to
 * load than many commands run. They are used for terminals, and from the first write that would block. A reader
 * that stops early (`| head`) is not an error: the process ends. Any other failure ends it with exit code 2.
 */
export function outputTo(descriptor: 1 | 2): Output {
  let stream = isTerminal(descriptor) ? streamOf(descriptor) : undefined;
  let buffer: Buffer | undefined;
  return {
    out(text) {
      if (stream === undefined) {
        // Memory for each text takes longer than to encode and write it.
        buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES);
        const isLong = text.length > BUFFER_BYTES / 3;
        const bytes = isLong ? Buffer.from(text) : buffer.subarray(0, buffer.write(text));
        const written = writeDirectly(descriptor, bytes);
        if (written === bytes.length) return;
        stream = streamOf(descriptor);
        stream.write(Buffer.from(bytes.subarray(written)));
      } else stream.write(text);
    },
    async drained() {
      const waited = stream;
      if (waited?.writableNeedDrain === true) {
        await new Promise((resolve) => waited.once('drain', resolve));
      }
    },
  };
}

/** Returns the number of bytes that were written before a write failed. The stream repeats that write and reports its error. */
function writeDirectly(descriptor: number, bytes: Buffer): number {
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(descriptor, bytes, at);
  } catch {
    return at;
  }
  return at;
}

function streamOf(descriptor: 1 | 2): NodeJS.WriteStream {
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  return stream.on('error', (error: NodeJS.ErrnoException) => endAfter(descriptor, error));
}

/**
 * Ends the process when output cannot be written. It has no reader, or, for example, no space: a scan must not end as
 * if it had only findings.
 */
function endAfter(descriptor: 1 | 2, { code, message }: NodeJS.ErrnoException): never {
  if (code === 'EPIPE') process.exit(EXIT.clean);
  if (descriptor === 1) {
    writeDirectly(2, Buffer.from(`error: standard output cannot be written: ${message} [file-unwritable]\n`));
  }
  process.exit(EXIT.error);
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
