import { Command } from 'commander';
import type { DeliveryDesk, RetriedDelivery } from '../commands/deliveries.ts';
import { loadConfig } from '../config/load.ts';
import type { DeliveryState } from '../model/alert/delivery.ts';
import { deliveryListText, deliveryText } from '../report/delivery-text.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './exit-code.ts';
import { positiveCount } from './positive-count.ts';
import { parseSince } from './since.ts';
import type { Terminal } from './terminal.ts';

interface Common {
  readonly json?: boolean;
  readonly config?: string;
}

interface Filter extends Common {
  readonly failed?: boolean;
  readonly held?: boolean;
  readonly open?: boolean;
  readonly target?: string;
  readonly route?: string;
  readonly since?: number;
}

const EXAMPLES = `
Examples:
  lockhound deliveries list --failed --since 2d        what was given up in the last two days
  lockhound deliveries show msg_5f0c…                  one delivery with its attempts and answers
  lockhound deliveries retry --failed --since 6h       after an outage: send again what failed
  lockhound deliveries resume default                  go on after a receiver said 410

What is sent again has the id it had (\`webhook-id\`): receivers that got it drop the repeat.
Exit codes: 0 done, 1 some were not sent again, 2 could not be done.`;

type Exit = (code: number) => void;

export function deliveriesCommand(command: Command, { terminal, exit }: CommandContext): void {
  command
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal, exit))
    .addCommand(retryCommand(terminal, exit))
    .addCommand(resumeCommand(terminal, exit))
    .addHelpText('after', EXAMPLES);
}

function listCommand(terminal: Terminal): Command {
  return withCommon(withFilter(new Command('list')))
    .description('List deliveries by their last change, newest first.')
    .option('--open', 'only those that are on their way (waiting, retrying, held)')
    .option('--held', 'only those whose route is stopped')
    .option('--limit <count>', 'at most so many', positiveCount, 50)
    .action((options: Filter & { readonly limit: number }) =>
      atDesk(options, async (desk) => {
        const { limit } = options;
        const found = await desk.list({ ...filterOf(options), limit: limit + 1 });
        const list = {
          deliveries: found.slice(0, limit),
          more: found.length > limit,
          stoppedRoutes: await desk.stoppedRoutes(),
        };
        terminal.out(options.json === true ? `${JSON.stringify(list)}\n` : deliveryListText(list, terminal));
      }),
    );
}

function showCommand(terminal: Terminal, exit: Exit): Command {
  return withCommon(new Command('show'))
    .description('Show one delivery with its attempts and all of its changes.')
    .argument('<id>', 'id of the delivery (`msg_…`)')
    .action((id: string, options: Common) =>
      atDesk(options, async (desk) => {
        const found = await desk.show(id);
        if (found === undefined) {
          terminal.note(`No delivery ${id} is known; \`lockhound deliveries list\` shows those that are.\n`);
          return exit(EXIT.error);
        }
        terminal.out(options.json === true ? `${JSON.stringify(found)}\n` : deliveryText(found, terminal));
      }),
    );
}

function retryCommand(terminal: Terminal, exit: Exit): Command {
  return withCommon(withFilter(new Command('retry')))
    .description('Send deliveries again, those of one target in order.')
    .argument('[ids...]', 'ids of deliveries; or --failed')
    .action((ids: readonly string[], options: Filter) => {
      if ((ids.length === 0) !== (options.failed === true)) {
        terminal.note('Name ids, or say --failed (with --since, --target or --route to narrow it).\n');
        return exit(EXIT.error);
      }
      return atDesk(options, async (desk) => {
        const chosen =
          ids.length > 0 ? ids : (await desk.list(filterOf(options))).map((delivery) => delivery.id);
        const results = await desk.retry(chosen);
        terminal.out(options.json === true ? `${JSON.stringify(results)}\n` : retriedText(results));
        exit(results.every(({ outcome }) => outcome === 'queued') ? EXIT.clean : EXIT.findings);
      });
    });
}

function resumeCommand(terminal: Terminal, exit: Exit): Command {
  return withCommon(new Command('resume'))
    .description('Let a route go on that was stopped because its receiver answered 410.')
    .argument('<route>', 'name of the route')
    .action((route: string, options: Common) =>
      atDesk(options, async (desk) => {
        const resumed = await desk.resume(route);
        if (resumed === undefined) {
          terminal.note(
            `Route ${route} is not stopped; \`lockhound deliveries list\` shows those that are.\n`,
          );
          return exit(EXIT.error);
        }
        terminal.out(
          options.json === true
            ? `${JSON.stringify({ route, ...resumed })}\n`
            : `Route ${route} goes on; ${resumed.held} held deliveries are sent now.\n`,
        );
      }),
    );
}

function withFilter(command: Command): Command {
  return command
    .option('--failed', 'only those that were given up')
    .option('-t, --target <id>', 'only those of one target')
    .option('--route <name>', 'only those of one route')
    .option('--since <time>', 'only those that changed since: `2h` ago, or a time', parseSince);
}

function withCommon(command: Command): Command {
  return command.option('--json', 'print JSON').option('-c, --config <file>', 'configuration file');
}

async function atDesk(options: Common, work: (desk: DeliveryDesk) => Promise<void>): Promise<void> {
  const loaded = loadConfig(options.config === undefined ? {} : { file: options.config });
  const { openDeliveryDesk } = await import('../commands/deliveries.ts');
  const desk = await openDeliveryDesk(loaded);
  try {
    await work(desk);
  } finally {
    await desk.close();
  }
}

function filterOf({ failed, held, open, target, route, since }: Filter) {
  const states: DeliveryState[] = [
    ...(failed === true ? (['failed'] as const) : []),
    ...(held === true ? (['held'] as const) : []),
    ...(open === true ? (['waiting', 'retrying', 'held'] as const) : []),
  ];
  return {
    ...(states.length === 0 ? {} : { states }),
    ...(target === undefined ? {} : { target }),
    ...(route === undefined ? {} : { route }),
    ...(since === undefined ? {} : { since }),
  };
}

const EXPLANATIONS: Readonly<Record<RetriedDelivery['outcome'], string>> = {
  queued: 'is sent again',
  delivered: 'was delivered already; left alone',
  held: 'is held: resume its route first',
  unknown: 'is not known',
};

function retriedText(results: readonly RetriedDelivery[]): string {
  if (results.length === 0) return 'Nothing to send again.\n';
  return results
    .map(({ id, outcome, behind }) => {
      const order = behind === undefined ? '' : `, after ${behind}, which goes first`;
      return `${id} ${EXPLANATIONS[outcome]}${order}\n`;
    })
    .join('');
}
