import type { Command } from 'commander';
import { batchCommands } from './batches.ts';
import type { Console } from './operation.ts';
import { queryCommand } from './query.ts';
import { singleCommands } from './single.ts';

const EXAMPLES = `
Examples:
  lockhound insights package npm lodash
  lockhound insights dependencies npm express 4.18.2
  lockhound insights versions --file versions.txt --json
  lockhound insights query --file lodash-4.17.21.tgz
  lockhound insights version npm lodash 4.17.20 --local      without network, from the bundled data

Exit codes: 0 found, 1 not found, 2 it could not be asked.`;

/** The 16 operations of the package-insights API in words. */
export function insightsCommand(group: Command, console: Console): void {
  group.addHelpText('after', EXAMPLES);
  const commands = [...singleCommands(console), queryCommand(console), ...batchCommands(console)];
  for (const command of commands) group.addCommand(command);
}
