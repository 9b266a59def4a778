import { Command } from 'commander';
import type { InsightsAnswer, InsightsSession } from '../../commands/insights-session.ts';
import { loadConfig } from '../../config/load.ts';
import type { TextOptions } from '../../report/layout.ts';
import { EXIT } from '../exit-code.ts';
import { interruptible } from '../signals.ts';
import type { Terminal } from '../terminal.ts';

/** What every operation's command works with. */
export interface Console {
  readonly terminal: Terminal;
  exit(code: number): void;
}

export interface OperationOptions {
  readonly local?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

const SHOWN_PROBLEMS = 20;

/** A command with the options that all operations take. */
export function operation(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .option('--local', 'ask the bundled local service instead of the configured one')
    .option('--json', 'print exactly what the API answered')
    .option('-c, --config <file>', 'configuration file')
    .addHelpText('after', `\nExample:\n  lockhound insights ${name} ${example}`);
}

/** Opens a session for `work` and closes it, also when it is interrupted. */
export async function withSession<Result>(
  options: OperationOptions,
  work: (session: InsightsSession, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const loaded = loadConfig(options.config === undefined ? {} : { file: options.config });
  // Loaded when it is used: `--help` and errors need none of it.
  const { openInsightsSession } = await import('../../commands/insights-session.ts');
  return await interruptible(async (signal) => {
    const session = await openInsightsSession(loaded, { local: options.local === true });
    try {
      return await work(session, signal);
    } finally {
      await session.close();
    }
  });
}

/**
 * Asks one operation and prints its answer, or that there is none; `absence` is what that means where it may be mistaken.
 * Throws what else went wrong.
 */
export async function answer<Value>(
  { terminal, exit }: Console,
  options: OperationOptions,
  ask: (session: InsightsSession, signal: AbortSignal) => Promise<InsightsAnswer<Value>>,
  render: (value: Value, options: TextOptions) => string,
  absence = '',
): Promise<void> {
  const answered = await withSession(options, async (session, signal) => {
    const one = await ask(session, signal);
    if (one.error?.code === 'unavailable') terminal.note(unreachable(session.url, options));
    return one;
  });
  if (answered.error?.code === 'not-found') {
    terminal.note(`not found: ${answered.error.message}\n${absence === '' ? '' : `${absence}\n`}`);
    return exit(EXIT.notFound);
  }
  if (answered.error !== undefined) throw answered.error;
  terminal.note(problemsText(answered.problems));
  terminal.out(
    options.json === true
      ? `${answered.body.toString('utf8').trimEnd()}\n`
      : render(answered.value, { colour: terminal.colour, width: terminal.width }),
  );
}

/** Where an answer does not fit; enough of it to act on. */
export function problemsText(
  problems: readonly { readonly path: string; readonly message: string }[],
): string {
  const rest = problems.length - SHOWN_PROBLEMS;
  const shown = problems
    .slice(0, SHOWN_PROBLEMS)
    .map(
      ({ path, message }) => `warning: the answer is not as the API describes it at ${path}: ${message}\n`,
    );
  return shown.join('') + (rest > 0 ? `warning: and at ${rest} more places\n` : '');
}

export function unreachable(url: string, { local }: OperationOptions): string {
  if (local === true) return '';
  return (
    `Nothing could be asked of ${url}. Check the connection or insights.url, ` +
    'or add --local to use the data that comes with Lockhound.\n'
  );
}
