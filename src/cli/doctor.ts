import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { doctorText, hasFault } from '../report/administration/diagnoses-text.ts';
import { type AdminOptions, print, withAdminOptions } from './program/admin.ts';
import { EXIT } from './program/errors.ts';
import { type CommandContext, interruptible } from './program/terminal.ts';

const NOTES = `
Every check is harmless: it reads, writes keys that expire within a minute, sends one look-up to the insights service, reads the
webhooks of the platform, and opens a connection to each receiver without sending anything. Each has a time limit. Without Redis
the other checks still run. Run it where the workers run, with their configuration.

--fix does what is safe: it queues lost jobs again, starts the first job of each lane, and stores missing starts of schedules.

Exit codes: 0 no fault, 1 at least one fault, or a check that found nothing out, 2 an error.`;

export function doctorCommand(command: Command, { terminal, exit }: CommandContext): void {
  withAdminOptions(command)
    .option('--fix', 'repair what is safe to repair', false)
    .addHelpText('after', NOTES)
    .action(async (options: AdminOptions & { readonly fix: boolean }) => {
      const loaded = loadConfig({ file: options.config });
      const { examine } = await import('../commands/doctor/doctor.ts');
      const report = await interruptible((signal) => examine(loaded, { fix: options.fix, signal }));
      print(terminal, options, report, () => doctorText(report, terminal));
      exit(hasFault(report) ? EXIT.findings : EXIT.clean);
    });
}
