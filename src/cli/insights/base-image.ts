import type { Command } from 'commander';
import { renderBaseImage } from '../../report/base-image.ts';
import type { CommandContext } from '../program/context.ts';
import { EXIT } from '../program/exit-code.ts';
import { type OperationOptions, operationCommand, withSession } from './session.ts';

interface BaseImageOptions extends Omit<OperationOptions, 'json'> {
  readonly json?: boolean;
  readonly platform?: string;
  readonly baseline?: string;
}

const EXIT_CODES = `
Only chain identifiers of layers are sent. An archive is one of \`docker save\` or an OCI archive, not compressed.
Exit codes: 0 found and not changed, 1 no public image, or changed since the baseline, 2 error.`;

/** QueryContainerImages for the layers of an image: which public image it is built on. */
export function baseImage({ terminal, exit }: CommandContext): Command {
  return operationCommand({
    name: 'base-image',
    description: 'The public image that an OCI layout folder or an archive of an image is built on.',
    example: 'image.tar --baseline last.json',
  })
    .argument('<image>', 'OCI layout folder, OCI archive, or archive of `docker save`')
    .option('--platform <os/arch>', 'of several images, this one (default: linux/amd64)')
    .option('--baseline <file>', 'an earlier result (--json): say whether the base changed')
    .addHelpText('after', EXIT_CODES)
    .action(async (image: string, options: BaseImageOptions) => {
      const { findBaseImage } = await import('../../commands/base-image.ts');
      const { platform, baseline } = options;
      const report = await withSession(options, (session, signal) =>
        findBaseImage(session, image, { platform, baseline, signal }),
      );
      if (report.base === undefined || report.change !== undefined) exit(EXIT.notFound);
      terminal.out(options.json === true ? `${JSON.stringify(report)}\n` : renderBaseImage(report, terminal));
    });
}
