/**
 * The environment of a process that a test starts, without variables of the machine. Node keeps what it compiled in a folder
 * (`vitest.config.ts`), which more than halves the time in which a command starts.
 */
export function bareEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}
