import { Command, InvalidArgumentError, Option } from 'commander';
import { duration } from '../../config/values.ts';
import { readBundledDescription } from '../../discovery/bundled.ts';
import type { RestDescription } from '../../discovery/description/description.ts';
import { type ApiMethod, findMethod } from '../../discovery/description/methods.ts';
import { wholeNumber, withConfig, withOutputFormat } from '../program/options.ts';
import { withDestinationOptions } from '../program/output-file.ts';
import { REPORT_NAMES, withReports } from '../program/scan-result.ts';
import type { CommandContext } from '../program/terminal.ts';
import { bodyOf, hasOtherBody, kebab, parametersOf, withParameters } from './derive.ts';
import type { Noun, View } from './noun.ts';
import { withServer } from './open-caller.ts';
import { type OperationOptions, runOperation } from './run.ts';

/** Returns the command of a noun, derived from its methods. */
export async function nounCommand(
  name: string,
  { verbs, examples, resource = name, isGroup = false }: Noun,
): Promise<(command: Command, context: CommandContext) => void> {
  const document = await readBundledDescription('lockhound.v1');
  return (command, context) => {
    // The options after the name of a verb are those of the verb.
    command.enablePositionalOptions().addHelpText('after', examples);
    for (const [index, [verb, view]] of Object.entries(verbs).entries()) {
      const method = findMethod(document, view.method ?? `lockhound.${resource}.${verb}`);
      const declared = { document, method, view };
      const isFirst = index === 0 && !isGroup;
      if (isFirst) declare(command, context, declared);
      if (isFirst && Object.keys(verbs).length === 1) return;
      const own = new Command(kebab(verb)).description(method.description.description ?? '');
      command.addCommand(declare(own, context, declared), { hidden: isFirst });
    }
  };
}

interface Declared {
  readonly document: RestDescription;
  readonly method: ApiMethod;
  readonly view: View;
}

function declare(command: Command, context: CommandContext, { document, method, view }: Declared): Command {
  const { args = [], each, body: part } = view;
  const made = part?.made ?? [];
  const formats =
    view.report === undefined
      ? ['table', 'json', 'ndjson', ...Object.keys(view.formats ?? {})]
      : REPORT_NAMES;
  withParameters(command, document, method, { args, each, made });
  withServer(withConfig(withOutputFormat(command, 'print the answer of the API', formats)));
  withDestinationOptions(command);
  if (view.report !== undefined) withReports(command);
  if ((view.items !== undefined && each === undefined) || method.parameters.has('limit')) {
    const preset = view.limit === undefined ? '' : ` (default: ${view.limit}; all with --json)`;
    command.option('--limit <count>', `at most this many entries${preset}`, wholeNumber(1));
  }
  part?.options?.(command);
  if (hasOtherBody(document, method, made))
    command.requiredOption('--data <file>', 'JSON of the request; `-` reads standard input');
  command.option('--verbose', 'show everything that is known');
  if (view.follow !== undefined) {
    command
      .option('-f, --follow', 'go on and print what changes')
      .addOption(
        new Option('--every <duration>', 'how often to look for changes')
          .default(EVERY_MS, '10s')
          .argParser(parseEvery),
      );
  }
  if (view.isSigned === true)
    command.option(
      '--sign <file>',
      'private Ed25519 key (PEM) that signs --output; the signature is in <output>.sig',
    );
  if (view.question !== undefined) command.option('-y, --yes', 'do not ask for confirmation');
  return command.action(async (...all: unknown[]) => {
    const options = all.at(-2) as OperationOptions & Readonly<Record<string, unknown>>;
    const given = { args: all.slice(0, -2), options };
    const params = parametersOf(document, method, given, args);
    const body = await bodyOf(document, method, given, { args, made });
    await runOperation(context, { document, method, view, params, body, options });
  });
}

const EVERY_MS = 10_000;

function parseEvery(text: string): number {
  const parsed = duration.safeParse(text);
  if (!parsed.success || parsed.data < 1_000) throw new InvalidArgumentError('a duration of at least `1s`');
  return parsed.data;
}
