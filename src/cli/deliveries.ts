import { Command } from 'commander';
import type { DeliveryState } from '../model/alert/delivery.ts';
import {
  deliveryListText,
  deliveryText,
  retriedDeliveriesText,
} from '../report/administration/delivery-text.ts';
import {
  type AdminOptions,
  administering,
  parseCount,
  parseSince,
  present,
  print,
  withAdminOptions,
} from './program/admin.ts';
import type { CommandContext } from './program/context.ts';
import { CommandError } from './program/errors.ts';
import { EXIT } from './program/exit-code.ts';

interface Filter extends AdminOptions {
  readonly failed?: boolean;
  readonly held?: boolean;
  readonly open?: boolean;
  readonly target?: string;
  readonly route?: string;
  readonly since?: number;
}

const administer = administering(async () => (await import('../commands/deliveries.ts')).openDeliveryAdmin);

const EXAMPLES = `
Examples:
  lockhound deliveries list --failed --since 2d        what failed in the last two days
  lockhound deliveries show msg_5f0c…                  one delivery with its attempts and answers
  lockhound deliveries retry --failed --since 6h       after an outage: send again what failed
  lockhound deliveries resume default                  resume a route whose receiver answered 410

A retry keeps the id of the delivery (\`webhook-id\`), so that receivers can ignore duplicates.
Exit codes: 0 done, 1 some deliveries were not sent again, 2 an error.`;

export function deliveriesCommand(command: Command, context: CommandContext): void {
  command
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(retryCommand(context))
    .addCommand(resumeCommand(context))
    .addHelpText('after', EXAMPLES);
}

function listCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(withFilter(new Command('list')))
    .description('List deliveries by their last change, newest first.')
    .option('--open', 'only open deliveries (waiting, retrying, held)')
    .option('--held', 'only deliveries whose route is stopped')
    .option('--limit <count>', 'at most this many', parseCount, 50)
    .action((options: Filter & { readonly limit: number }) =>
      administer(options, async (admin) => {
        const { limit } = options;
        const found = await admin.list({ ...filterOf(options), limit: limit + 1 });
        const list = {
          deliveries: found.slice(0, limit),
          more: found.length > limit,
          stoppedRoutes: await admin.stoppedRoutes(),
        };
        print(terminal, options, list, () => deliveryListText(list, terminal));
      }),
    );
}

function showCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(new Command('show'))
    .description('Show one delivery with its attempts and all of its changes.')
    .argument('<id>', 'id of the delivery (`msg_…`)')
    .action((id: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        const missing = `there is no delivery ${id}: see \`lockhound deliveries list\``;
        const found = present(await admin.show(id), missing);
        print(terminal, options, found, () => deliveryText(found, terminal));
      }),
    );
}

function retryCommand({ terminal, exit }: CommandContext): Command {
  return withAdminOptions(withFilter(new Command('retry')))
    .description('Send deliveries again, those of one target in order.')
    .argument('[ids...]', 'ids of deliveries; or --failed')
    .action((ids: readonly string[], options: Filter) => {
      if ((ids.length === 0) !== (options.failed === true)) {
        throw new CommandError(
          'nothing-asked',
          'name the ids of deliveries, or use --failed (with --since, --target or --route to select some)',
        );
      }
      return administer(options, async (admin) => {
        const chosen = ids.length > 0 ? ids : (await admin.list(filterOf(options))).map(({ id }) => id);
        const results = await admin.retry(chosen);
        print(terminal, options, results, () => retriedDeliveriesText(results));
        exit(results.every(({ outcome }) => outcome === 'queued') ? EXIT.clean : EXIT.findings);
      });
    });
}

function resumeCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(new Command('resume'))
    .description('Resume a route that was stopped because its receiver answered 410.')
    .argument('<route>', 'name of the route')
    .action((route: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        const missing = `route ${route} is not stopped: see \`lockhound deliveries list\``;
        const resumed = present(await admin.resume(route), missing);
        const text = `Route ${route} is resumed; ${resumed.held} held deliveries are sent now.\n`;
        print(terminal, options, { route, ...resumed }, () => text);
      }),
    );
}

function withFilter(command: Command): Command {
  return command
    .option('--failed', 'only failed deliveries')
    .option('-t, --target <id>', 'only deliveries of one target')
    .option('--route <name>', 'only deliveries of one route')
    .option(
      '--since <time>',
      'only deliveries that changed since: a duration such as `2h`, or a time',
      parseSince,
    );
}

function filterOf({ failed, held, open, target, route, since }: Filter) {
  const states: DeliveryState[] = [];
  if (failed === true) states.push('failed');
  if (held === true) states.push('held');
  if (open === true) states.push('waiting', 'retrying', 'held');
  return { states: states.length === 0 ? undefined : states, target, route, since };
}
