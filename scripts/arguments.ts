import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Reads the arguments of a script by `node:util`. For `--help`, and with an error (exit code 2) for arguments that the script does not
 * have, prints the comment that describes the script and ends the process. `script`: its URL.
 */
export function readArguments<const Config extends ParseArgsConfig>(
  script: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.includes('--help')) {
    console.log(descriptionOf(script));
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}\n\n${descriptionOf(script)}`);
    process.exit(2);
  }
}

/** The first comment of a script that stands on lines of its own. */
function descriptionOf(script: string): string {
  const [, after = ''] = `\n${readFileSync(fileURLToPath(script), 'utf8')}`.split('\n/*\n', 2);
  const [comment = ''] = after.split('\n */', 1);
  return comment.replace(/^ \* ?/gm, '').trimEnd();
}
