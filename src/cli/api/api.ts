import { Command } from 'commander';
import type { Terminal } from '../terminal.ts';
import { callCommand } from './call.ts';
import { diffCommand } from './diff.ts';
import { listCommand } from './list.ts';
import { showCommand } from './show.ts';
import { urlCommand } from './url.ts';
import { validateCommand } from './validate.ts';

const COMMANDS = [listCommand, showCommand, validateCommand, urlCommand, callCommand, diffCommand];

export function apiCommand(terminal: Terminal, exit: (code: number) => void): Command {
  const api = new Command('api').description(
    'Look at, check and call any API that has a description document (discovery#restDescription).',
  );
  for (const command of COMMANDS) api.addCommand(command(terminal, exit));
  return api;
}
