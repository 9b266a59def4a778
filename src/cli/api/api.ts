import { Command } from 'commander';
import type { Terminal } from '../terminal.ts';
import { diffCommand } from './diff.ts';
import { showCommand } from './show.ts';
import { urlCommand } from './url.ts';
import { validateCommand } from './validate.ts';

const COMMANDS = [showCommand, validateCommand, urlCommand, diffCommand];

export function apiCommand(terminal: Terminal, exit: (code: number) => void): Command {
  const api = new Command('api').description(
    'Look at, check and call any API that has a description document (discovery#restDescription).',
  );
  for (const command of COMMANDS) api.addCommand(command(terminal, exit));
  return api;
}
