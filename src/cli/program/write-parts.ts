import type { Output } from './process-output.ts';

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
