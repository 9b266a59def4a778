import type { Command } from 'commander';
import type { InsightsAnswer, InsightsSession } from '../../commands/insights-session.ts';
import type { System, VersionKey } from '../../model/version-record.ts';
import { renderCapabilities, renderDependents } from '../../report/insights/counts.ts';
import { renderDependencyTree } from '../../report/insights/dependency-tree.ts';
import { renderRequirements } from '../../report/insights/requirements.ts';
import { renderVersion } from '../../report/insights/version.ts';
import type { TextOptions } from '../../report/text.ts';
import { nameArgument, systemArgument, versionArgument } from './arguments.ts';
import { answer, type Console, type OperationOptions, operation } from './operation.ts';

type Ask<Value> = (
  session: InsightsSession,
  key: VersionKey,
  options: { readonly signal: AbortSignal },
) => Promise<InsightsAnswer<Value>>;

/** The operations on one version: GetVersion, GetRequirements, GetDependencies, GetDependents, GetCapabilities. */
export function versionCommands(console: Console): readonly Command[] {
  return [
    versionCommand(
      console,
      operation('version', 'A version: licences, advisories, links, provenance.', 'npm lodash 4.17.21'),
      ({ operations, service }, key, options) => operations.getVersion(service, key, options),
      renderVersion,
    ),
    versionCommand(
      console,
      operation(
        'requirements',
        'What a version asks for, as it declares it (npm, Maven, NuGet, RubyGems).',
        'npm express 4.18.2',
      ),
      ({ operations, service }, key, options) => operations.getRequirements(service, key, options),
      renderRequirements,
    ),
    versionCommand(
      console,
      operation(
        'dependencies',
        'The resolved graph of a version as a tree (npm, Cargo, Maven, PyPI).',
        'npm express 4.18.2',
      ),
      ({ operations, service }, key, options) => operations.getDependencies(service, key, options),
      renderDependencyTree,
      'The index has not computed a graph for it; that does not mean that it depends on nothing.',
    ),
    versionCommand(
      console,
      operation(
        'dependents',
        'How many packages depend on a version (npm, Cargo, Maven, PyPI).',
        'npm lodash 4.17.21',
      ),
      ({ operations, service }, key, options) => operations.getDependents(service, key, options),
      renderDependents,
    ),
    versionCommand(
      console,
      operation(
        'capabilities',
        'What a version may do to the system it runs on (Go).',
        'go golang.org/x/net v0.17.0',
      ),
      ({ operations, service }, key, options) => operations.getCapabilities(service, key, options),
      renderCapabilities,
    ),
  ];
}

function versionCommand<Value>(
  console: Console,
  command: Command,
  ask: Ask<Value>,
  render: (value: Value, options: TextOptions) => string,
  absence?: string,
): Command {
  return command
    .addArgument(systemArgument())
    .addArgument(nameArgument())
    .addArgument(versionArgument())
    .action((system: System, name: string, version: string, options: OperationOptions) =>
      answer(
        console,
        options,
        (session, signal) => ask(session, { system, name, version }, { signal }),
        render,
        absence,
      ),
    );
}
