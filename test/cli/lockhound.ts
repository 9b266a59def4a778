import { run } from '../../src/cli/program.ts';

/** Runs one command line in this process and gives back what it wrote. */
export async function lockhound(...args: readonly string[]) {
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
  });
  return { code, ...written };
}
