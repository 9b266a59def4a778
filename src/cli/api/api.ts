import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { callCommand } from './call.ts';
import { diffCommand } from './diff.ts';
import { listCommand } from './list.ts';
import { showCommand } from './show.ts';
import { urlCommand } from './url.ts';
import { validateCommand } from './validate.ts';

const COMMANDS = [listCommand, showCommand, validateCommand, urlCommand, callCommand, diffCommand];

export function apiCommand(api: Command, { terminal, exit }: CommandContext): void {
  for (const command of COMMANDS) api.addCommand(command(terminal, exit));
}
