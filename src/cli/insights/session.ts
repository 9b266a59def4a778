import { Command, InvalidArgumentError } from 'commander';
import type { InsightsSession } from '../../commands/insights-session.ts';
import { loadOrDefault } from '../../config/load-or-default.ts';
import { closing } from '../../model/closing.ts';
import type { System } from '../../model/lockfile/ecosystem.ts';
import { interruptible } from '../program/terminal.ts';

/** The texts that the help of an operation shows. */
export interface Description {
  readonly name: string;
  readonly description: string;
  /** The arguments of an example. */
  readonly example: string;
}

export interface OperationOptions {
  readonly local?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

const SHOWN_PROBLEMS = 20;

/** A command with the options of all operations. */
export function operationCommand({ name, description, example }: Description): Command {
  return new Command(name)
    .description(description)
    .option('--local', 'use the bundled local service instead of the configured one')
    .option('--json', 'print exactly what the API answered')
    .option('-c, --config <file>', 'configuration file')
    .addHelpText('after', `\nExample:\n  lockhound insights ${name} ${example}`);
}

/** Runs `work` with a session and closes the session, also after an interrupt. */
export async function withSession<Result>(
  options: OperationOptions,
  work: (session: InsightsSession, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const loaded = await loadOrDefault(options.config);
  const { openInsightsSession } = await import('../../commands/insights-session.ts');
  return await interruptible((signal) =>
    closing(openInsightsSession(loaded, { local: options.local === true }), (session) =>
      work(session, signal),
    ),
  );
}

/** Warnings for the first places where an answer does not fit its description. */
export function problemsText(
  problems: readonly { readonly path: string; readonly message: string }[],
): string {
  const rest = problems.length - SHOWN_PROBLEMS;
  const shown = problems
    .slice(0, SHOWN_PROBLEMS)
    .map(
      ({ path, message }) =>
        `warning: the answer does not fit the API's description at ${path}: ${message}\n`,
    );
  return shown.join('') + (rest > 0 ? `warning: and at ${rest} more places\n` : '');
}

/** Systems by the names people use. */
const SYSTEMS: ReadonlyMap<string, System> = new Map([
  ['npm', 'NPM'],
  ['pypi', 'PYPI'],
  ['cargo', 'CARGO'],
  ['maven', 'MAVEN'],
  ['nuget', 'NUGET'],
  ['rubygems', 'RUBYGEMS'],
  ['gem', 'RUBYGEMS'],
  ['go', 'GO'],
  ['golang', 'GO'],
]);

/** A system by its name in any case; `undefined` for an unknown name. */
export function systemOf(name: string): System | undefined {
  return SYSTEMS.get(name.toLowerCase());
}

/** Reads a system as above, from an argument. Throws `InvalidArgumentError`. */
export function readSystem(name: string): System {
  const system = systemOf(name);
  if (system !== undefined) return system;
  throw new InvalidArgumentError(`The systems are ${[...SYSTEMS.keys()].join(', ')}.`);
}
