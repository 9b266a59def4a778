import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { healthText } from '../report/administration/checks-text.ts';
import { type AdminOptions, print, withAdminOptions } from './program/admin.ts';
import type { CommandContext } from './program/context.ts';
import { EXIT } from './program/exit-code.ts';

const NOTES = `
Answers five questions: does work flow, do runs succeed, are the facts about packages fresh, do the workers report, and which limit
binds (request budget, concurrency, lanes, receiver, Redis, CPU, number of workers). It reads Redis only, in constant time.
\`lockhound doctor\` looks for causes.

Exit codes: 0 everything works, or works with something to look at (\`degraded\`), or is not known (\`unknown\`); 1 something does not work (\`broken\`); 2 an error.`;

export function healthCommand(command: Command, { terminal, exit }: CommandContext): void {
  withAdminOptions(command)
    .addHelpText('after', NOTES)
    .action(async (options: AdminOptions) => {
      const { readHealth } = await import('../commands/health.ts');
      const verdict = await readHealth(loadConfig({ file: options.config }));
      print(terminal, options, verdict, () => healthText(verdict, terminal));
      exit(verdict.grade === 'broken' ? EXIT.findings : EXIT.clean);
    });
}
