import type { Command } from 'commander';
import type { CommandContext } from '../program/context.ts';
import { baseImage } from './base-image.ts';
import { OPERATIONS } from './operations.ts';

const EXAMPLES = `
Examples:
  lockhound insights package npm lodash
  lockhound insights dependencies npm express 4.18.2
  lockhound insights versions --file versions.txt --json
  lockhound insights query --file lodash-4.17.21.tgz
  lockhound insights version npm lodash 4.17.20 --local      without network, from the bundled data
  lockhound insights base-image image.tar                    what a container image is built on

Exit codes: 0 found, 1 not found, 2 error.`;

export function insightsCommand(group: Command, context: CommandContext): void {
  group.addHelpText('after', EXAMPLES);
  for (const operation of OPERATIONS) group.addCommand(operation(context));
  group.addCommand(baseImage(context));
}
