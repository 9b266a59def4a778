import { Command, Option } from 'commander';
import type { WebhookAdmin } from '../commands/webhooks/webhook-admin.ts';
import { loadConfig } from '../config/load.ts';
import type { ProvisionChange } from '../model/alert/provision-change.ts';
import { TRANSITIONS, type Transition } from '../model/scan/transition.ts';
import { changesText } from '../report/administration/webhook-text.ts';
import { plainText } from '../report/answer.ts';
import { EXIT } from './program/errors.ts';
import { type ConfigOptions, withConfig } from './program/options.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface WebhookOptions extends ConfigOptions {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  lockhound webhook plan                      planned changes, field by field
  lockhound webhook apply                     apply them; workers do the same on start
  lockhound webhook show                      the current definitions on the platform
  lockhound webhook test                      send one test alert and print the answer
  lockhound webhook rotate ALERT_TOKEN        send the current value of a secret again
  lockhound webhook destroy --yes             delete the webhooks, then the variables (stop the workers first)

Example configuration (lockhound.yaml):
  notify:
    platform:
      site: datadoghq.eu
      headerPrefix: DD
      apiKey: { env: DD_API_KEY }
      applicationKey: { env: DD_APP_KEY }
    webhook:
      url: https://alerts.example/hook
      headers: { authorization: Bearer $ALERT_TOKEN }
    variables:
      ALERT_TOKEN: { secret: { env: ALERT_TOKEN } }
Without \`platform\` nothing is provisioned, and alerts use these definitions.

Exit codes: 0 done or no differences; 1 differences (plan) or not delivered (test); 2 an error.`;

export function webhookCommand(command: Command, context: CommandContext): void {
  command.addHelpText('after', EXAMPLES);
  for (const one of [plan, apply, show, test, rotate, destroy]) command.addCommand(one(context));
}

function plan(context: CommandContext): Command {
  return subcommand('plan', 'Show what `apply` would change, field by field. Writes nothing.').action(
    (options: WebhookOptions) =>
      administer(context, options, async (admin, signal) => {
        const changes = await admin.plan(signal);
        printChanges(context, options, admin, changes, false);
        return changes.some(({ action }) => action !== 'unchanged' && action !== 'kept')
          ? EXIT.findings
          : EXIT.clean;
      }),
  );
}

function apply(context: CommandContext): Command {
  const command = subcommand('apply', 'Apply the configured webhooks and variables to the platform.');
  return command.action(changing(context, (admin, signal) => admin.apply(signal)));
}

function rotate(context: CommandContext): Command {
  const command = subcommand('rotate', 'Send the current value of a secret variable again.');
  command.argument('<variable>', 'name of a secret of `notify.variables`');
  return command.action(changing(context, (admin, signal, variable) => admin.rotate(variable, signal)));
}

function show(context: CommandContext): Command {
  return subcommand('show', 'Print the definitions on the platform, without secrets.').action(
    (options: WebhookOptions) =>
      administer(context, options, async (admin, signal) => {
        const shown = await admin.show(signal);
        const { unprovisioned } = admin;
        // A line of a payload is a line of the text.
        const webhooks = shown.webhooks.map((one) => ({ ...one, payload: one.payload?.split('\n') }));
        const text = () => plainText({ unprovisioned, ...shown, webhooks }, context.terminal);
        print(context.terminal, options, shown, text);
        return EXIT.clean;
      }),
  );
}

interface TestOptions extends WebhookOptions {
  readonly route?: string;
  readonly transition?: Transition;
}

function test(context: CommandContext): Command {
  return subcommand('test', 'Send one alert that is marked as a test, and print the answer.')
    .option('--route <name>', 'route of the alert (default: `default`)')
    .addOption(
      new Option('--transition <name>', 'transition of the alert (default: opened)').choices(TRANSITIONS),
    )
    .action(async (options: TestOptions) => {
      const loaded = loadConfig({ file: options.config });
      const { testWebhook } = await import('../commands/webhooks/webhook-test.ts');
      const { route, transition } = options;
      const result = await interruptible((signal) => testWebhook(loaded, { signal, route, transition }));
      print(context.terminal, options, result);
      context.exit(result.delivered ? EXIT.clean : EXIT.findings);
    });
}

function destroy(context: CommandContext): Command {
  return subcommand('destroy', 'Delete the configured webhooks, then their variables, from the platform.')
    .option('-y, --yes', 'do not ask for confirmation')
    .action((options: WebhookOptions & { readonly yes?: boolean }) =>
      administer(context, options, async (admin, signal) => {
        const { terminal } = context;
        const sure = options.yes === true || admin.unprovisioned !== undefined;
        if (!sure && !(await confirmed(terminal, await admin.planDestroy(signal)))) return EXIT.error;
        printChanges(context, options, admin, await admin.destroy(signal), true);
        return EXIT.clean;
      }),
    );
}

async function confirmed(terminal: Terminal, changes: readonly ProvisionChange[]): Promise<boolean> {
  if (terminal.confirm === undefined) {
    terminal.note('error: no terminal to ask for confirmation: use --yes to delete without asking\n');
    return false;
  }
  terminal.note(
    changesText(changes, { done: false, colour: terminal.interactive, width: terminal.noteWidth }),
  );
  if (changes.length === 0 || (await terminal.confirm('Delete it?'))) return true;
  terminal.note('Nothing was deleted.\n');
  return false;
}

function subcommand(name: string, description: string): Command {
  return withConfig(new Command(name).description(description).option('--json', 'print one JSON document'));
}

/** Opens the administration, prints its warnings, and exits with the code that `work` returns. */
async function administer(
  { terminal, exit }: CommandContext,
  options: WebhookOptions,
  work: (admin: WebhookAdmin, signal: AbortSignal) => Promise<number>,
): Promise<void> {
  const loaded = loadConfig({ file: options.config });
  const { withWebhookAdmin } = await import('../commands/webhooks/webhook-admin.ts');
  const code = await interruptible((signal) =>
    withWebhookAdmin(loaded, (admin) => {
      for (const warning of admin.warnings) terminal.note(`warning: ${warning}\n`);
      return work(admin, signal);
    }),
  );
  exit(code);
}

/** The action of a command that changes the platform: it prints what it did. */
function changing(
  context: CommandContext,
  change: (admin: WebhookAdmin, signal: AbortSignal, argument: string) => Promise<readonly ProvisionChange[]>,
) {
  return (...given: readonly unknown[]): Promise<void> => {
    const options = given.at(-2) as WebhookOptions;
    return administer(context, options, async (admin, signal) => {
      printChanges(context, options, admin, await change(admin, signal, String(given[0])), true);
      return EXIT.clean;
    });
  };
}

function printChanges(
  { terminal }: CommandContext,
  options: WebhookOptions,
  { unprovisioned }: WebhookAdmin,
  changes: readonly ProvisionChange[],
  done: boolean,
): void {
  const result = unprovisioned === undefined ? { changes } : { changes, unprovisioned };
  print(terminal, options, result, () =>
    unprovisioned === undefined
      ? changesText(changes, { done, colour: terminal.colour, width: terminal.width })
      : `${unprovisioned}\n`,
  );
}

function print(
  terminal: Terminal,
  { json }: WebhookOptions,
  result: object,
  text = () => plainText(result, terminal),
): void {
  terminal.out(json === true ? `${JSON.stringify(result, null, 2)}\n` : text());
}
