import { Command } from 'commander';
import { simulatedAdvisoryText } from '../../report/fleet/simulate.ts';
import { type AdminOptions, administering, print, withAdminOptions } from '../program/admin.ts';
import type { CommandContext } from '../program/context.ts';
import { EXIT } from '../program/exit-code.ts';
import { ECOSYSTEM_HELP, reportUnreadable, type SeverityOptions, withSeverity } from './options.ts';

interface AdvisoryOptions extends AdminOptions, SeverityOptions {
  readonly ecosystem?: string;
}

const administer = administering(
  async () => (await import('../../commands/fleet/simulate.ts')).openSimulation,
);

const EXAMPLES = `
Examples:
  lockhound simulate advisory 'pkg:npm/lodash@<4.17.21' --severity critical
  lockhound simulate advisory lodash '>=4 <4.17.21'

Nothing is written and nothing is sent. Without --severity the advisory has no score, and counts as
\`policy.unknownSeverity\`.
Exit codes: 0 targets are reached, 1 none, 2 an error or an incomplete result.`;

export function simulateCommand(command: Command, context: CommandContext): void {
  command.addCommand(advisoryCommand(context)).addHelpText('after', EXAMPLES);
}

function advisoryCommand(context: CommandContext): Command {
  return withSeverity(
    withAdminOptions(new Command('advisory')),
    'severity of the advisory (default: without a score)',
  )
    .description('Show which targets and routes a new advisory about some versions would reach.')
    .argument('<package>', 'a purl or a name, with or without `@` and a version or range')
    .argument('[range]', 'a version or a range, in place of one after `@`')
    .option('--ecosystem <name>', ECOSYSTEM_HELP)
    .action(async (text: string, range: string | undefined, options: AdvisoryOptions) => {
      const { readPackageQuery } = await import('../../operations/packages/query.ts');
      const query = readPackageQuery(text, { range, ecosystem: options.ecosystem });
      await administer(options, async (admin) => {
        const simulated = await admin.advisory(query, options.severity);
        const named = [text, range].join(' ').trim();
        const json = {
          schema: 'lockhound.simulated-advisory/1',
          query,
          ...simulated,
          unreadable: admin.unreadable,
        };
        print(context.terminal, options, json, () =>
          simulatedAdvisoryText(simulated, named, context.terminal),
        );
        if (simulated.targets.every(({ packages }) => packages.length === 0)) context.exit(EXIT.notFound);
        reportUnreadable(context, admin.unreadable);
      });
    });
}
