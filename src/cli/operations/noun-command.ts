import { Command } from 'commander';
import { readBundledDescription } from '../../discovery/bundled.ts';
import { type ApiMethod, findMethod } from '../../discovery/description/methods.ts';
import { parseCount } from '../program/admin.ts';
import type { CommandContext } from '../program/context.ts';
import { withConfig, withOutputFormat } from '../program/options.ts';
import { withDestinationOptions } from '../program/output-file.ts';
import { REPORT_NAMES, withReports } from '../program/scan-result.ts';
import { kebab, parametersOf, withParameters } from './derive.ts';
import { type OperationOptions, runOperation } from './run.ts';
import { NOUNS, type View } from './views.ts';

/** Returns the command of a noun, derived from its methods: `lockhound <noun>` is its first verb, the others are below it. */
export async function nounCommand(
  noun: string,
): Promise<(command: Command, context: CommandContext) => void> {
  const document = await readBundledDescription('lockhound.v1');
  const { verbs = {}, examples = '', resource = noun } = NOUNS[noun] ?? {};
  return (command, context) => {
    // The options after the name of a verb are those of the verb.
    command.enablePositionalOptions().addHelpText('after', examples);
    for (const [index, [verb, view]] of Object.entries(verbs).entries()) {
      const method = findMethod(document, `lockhound.${resource}.${verb}`);
      if (index === 0) declare(command, context, method, view);
      if (Object.keys(verbs).length === 1) return;
      const own = new Command(kebab(verb)).description(method.description.description ?? '');
      command.addCommand(declare(own, context, method, view), { hidden: index === 0 });
    }
  };
}

function declare(command: Command, context: CommandContext, method: ApiMethod, view: View): Command {
  const formats = view.report === undefined ? ['table', 'json', 'ndjson'] : REPORT_NAMES;
  withConfig(
    withOutputFormat(withParameters(command, method, view.args), 'print the answer of the API', formats),
  ).option('--server <url>', 'ask this server, with the token in LOCKHOUND_TOKEN, in place of Redis');
  withDestinationOptions(command);
  if (view.report !== undefined) withReports(command);
  if (view.items !== undefined || method.parameters.has('limit')) {
    const preset = view.limit === undefined ? '' : ` (default: ${view.limit}; all with --json)`;
    command.option('--limit <count>', `at most this many entries${preset}`, parseCount);
  }
  command.option('--verbose', 'show everything that is known');
  if (view.question !== undefined) command.option('-y, --yes', 'do not ask for confirmation');
  return command.action(async (...all: unknown[]) => {
    const options = all.at(-2) as OperationOptions & Readonly<Record<string, unknown>>;
    const params = parametersOf(method, all.slice(0, -2), options, view.args);
    await runOperation(context, { method, view, params, options });
  });
}
