import { Command, Option } from 'commander';
import { lossText } from '../../model/losses/evidence.ts';
import { RATED_SEVERITIES, type RatedSeverity } from '../../model/scan/severity.ts';
import { forgottenTargetText, targetListText, targetText } from '../../report/targets.ts';
import { type AdminOptions, administering, parseCount, print, withAdminOptions } from '../program/admin.ts';
import type { CommandContext } from '../program/context.ts';
import { EXIT } from '../program/exit-code.ts';
import type { Terminal } from '../program/terminal.ts';
import { writeParts } from '../program/write-parts.ts';
import { jsonParts, type LabelOptions, reportUnreadable, withLabel } from './options.ts';

const administer = administering(
  async () => (await import('../../commands/fleet/targets.ts')).openTargetAdmin,
);

interface ListOptions extends AdminOptions, LabelOptions {
  readonly worst?: RatedSeverity;
  readonly incomplete?: boolean;
  readonly stale?: boolean;
  readonly limit?: number;
}

/** Targets that are shown as text. */
const DEFAULT_LIMIT = 100;

const EXAMPLES = `
Examples:
  lockhound targets list --worst high --label team=web   targets of one team with severe open findings
  lockhound targets show org/shop                        lockfiles, last scans, open findings, deliveries
  lockhound targets forget org/old-shop                  remove all that is stored of a target
  lockhound targets accept-corrections --author sam      the index withdrew hundreds of advisories rightly

Nothing else removes a target. A scan that a worker judges after \`forget\` is a first scan.
Exit codes: 0 done, 1 not confirmed, 2 an error, no such target, or an incomplete result.`;

export function targetsCommand(command: Command, context: CommandContext): void {
  command
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(forgetCommand(context))
    .addCommand(acceptCommand(context))
    .addHelpText('after', EXAMPLES);
}

function listCommand(context: CommandContext): Command {
  const { terminal } = context;
  return withLabel(withAdminOptions(new Command('list')))
    .description('List targets, those with the worst open findings first.')
    .addOption(
      new Option(
        '--worst <severity>',
        'only targets with an open finding of this severity or a worse one',
      ).choices(RATED_SEVERITIES),
    )
    .option('--incomplete', 'only targets whose last scan could not see everything')
    .option(
      '--stale',
      'only targets with a package without an answer of the service for longer than `watch.staleAfter`',
    )
    .option('--limit <count>', `at most this many (default: ${DEFAULT_LIMIT}; all with --json)`, parseCount)
    .action(({ label: labels, worst, incomplete, stale, limit, ...options }: ListOptions) =>
      administer(options, async (admin) => {
        const found = await admin.list({ labels, worst, incomplete, stale });
        if (options.format === 'json') {
          const targets = found.slice(0, limit ?? found.length);
          const head = { schema: 'lockhound.targets/1', total: found.length };
          await writeParts(
            terminal,
            jsonParts(head, 'targets', targets, () => ({ unreadable: admin.unreadable })),
          );
        } else {
          const targets = found.slice(0, limit ?? DEFAULT_LIMIT);
          terminal.out(targetListText({ targets, total: found.length }, terminal));
        }
        reportUnreadable(context, admin.unreadable);
      }),
    );
}

function showCommand(context: CommandContext): Command {
  return withAdminOptions(new Command('show'))
    .description('Show one target: lockfiles, last scans, open findings and deliveries.')
    .argument('<id>', 'id of the target')
    .action((id: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        const shown = await admin.show(id);
        const json = { schema: 'lockhound.target/1', ...shown, unreadable: admin.unreadable };
        print(context.terminal, options, json, () => targetText(shown, context.terminal));
        reportUnreadable(context, admin.unreadable);
      }),
    );
}

function forgetCommand({ terminal, exit }: CommandContext): Command {
  return withAdminOptions(new Command('forget'))
    .description('Remove all that is stored of a target: state, inventories, changes that wait for digests.')
    .argument('<id>', 'id of the target')
    .option('-y, --yes', 'do not ask for confirmation')
    .action((id: string, { yes = false, ...options }: AdminOptions & { readonly yes?: boolean }) =>
      administer(options, async (admin) => {
        if (!yes) {
          const shown = await admin.show(id);
          terminal.note(
            targetText({ ...shown, findings: [], history: [], deliveries: [] }, asNotes(terminal)),
          );
          if (terminal.confirm === undefined) {
            terminal.note('error: no terminal to ask for confirmation: use --yes to remove without asking\n');
            return exit(EXIT.error);
          }
          if (!(await terminal.confirm('Remove all that is stored of it?'))) return exit(EXIT.findings);
        }
        const removed = await admin.forget(id);
        print(terminal, options, removed, () => forgottenTargetText(removed, terminal));
      }),
    );
}

function acceptCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(new Command('accept-corrections'))
    .description(
      'Have the next refresh believe what the service no longer states: it was corrected, and not lost. Findings that rest on it are resolved.',
    )
    .requiredOption('--author <name>', 'who checked that the service is right')
    .action(({ author, ...options }: AdminOptions & { readonly author: string }) =>
      administer(options, async (admin) => {
        const accepted = await admin.acceptLoss(author);
        print(terminal, options, { schema: 'lockhound.accepted/1', accepted }, () =>
          accepted.map((loss) => `${lossText(loss)}\n`).join(''),
        );
      }),
    );
}

function asNotes({ noteWidth, interactive }: Terminal) {
  return { colour: interactive, width: noteWidth };
}
