import { Readable } from 'node:stream';
import { run } from '../../src/cli/program/program.ts';

/** Runs one command line in this process, as on a terminal without colours, and returns its output. */
export async function lockhound(
  args: readonly string[],
  input = '',
  confirm?: (question: string) => Promise<boolean>,
) {
  const written = { out: '', note: '' };
  const code = await run(args, {
    out: (text) => {
      written.out += text;
    },
    note: (text) => {
      written.note += text;
    },
    colour: false,
    interactive: false,
    width: 100,
    noteWidth: 100,
    input: Readable.from([input]),
    ...(confirm === undefined ? {} : { confirm }),
  });
  return { code, ...written };
}
