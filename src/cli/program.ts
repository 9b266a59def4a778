import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { CodedError, messageOf } from '../model/errors.ts';
import { apiCommand } from './api/api.ts';
import { addCompletion, COMPLETE, completeCommand } from './completion.ts';
import { configCommand } from './config.ts';
import { deliveriesCommand } from './deliveries.ts';
import { demoCommand } from './demo.ts';
import { enqueueCommand } from './enqueue.ts';
import { EXIT } from './exit-code.ts';
import { insightsCommand } from './insights/command.ts';
import { parseCommand } from './parse.ts';
import { rejectedCommand } from './rejected.ts';
import { scanCommand } from './scan.ts';
import { scansCommand } from './scans.ts';
import { servicesCommand } from './services.ts';
import type { Terminal } from './terminal.ts';
import { webhookCommand } from './webhook.ts';
import { workerCommand } from './worker.ts';

const COMMANDS = [
  scanCommand,
  parseCommand,
  workerCommand,
  enqueueCommand,
  webhookCommand,
  deliveriesCommand,
  rejectedCommand,
  scansCommand,
  demoCommand,
  servicesCommand,
  apiCommand,
  insightsCommand,
  configCommand,
];

/**
 * Runs one command line and gives the exit code. Errors a person can act on are printed as one message; a fault of
 * our own keeps its stack.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.clean;
  const program = buildProgram(terminal, (value) => {
    code = value;
  });
  try {
    if (args[0] === COMPLETE) await addCompletion(program);
    else program.addCommand(completeCommand());
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : EXIT.error;
    terminal.note(`${describe(error)}\n`);
    return EXIT.error;
  }
}

function buildProgram(terminal: Terminal, exit: (code: number) => void): Command {
  const program = new Command('lockhound')
    .description('Scans lockfiles against a package-insights API and alerts on exactly what changed.')
    .version(version())
    .showHelpAfterError('Run with --help for what there is.');
  for (const command of COMMANDS) program.addCommand(command(terminal, exit));
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.note });
  }
  return program;
}

function describe(error: unknown): string {
  if (error instanceof CodedError) return `error: ${error.message} [${error.code}]`;
  return `error: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`;
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
