import { Command } from 'commander';
import { validationText } from '../../report/api/validation-text.ts';
import { EXIT } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';

interface ValidateOptions {
  readonly json?: boolean;
}

export function validateCommand(terminal: Terminal, exit: (code: number) => void): Command {
  return new Command('validate')
    .description('Validate description documents and print a line for each. Unknown fields are allowed.')
    .argument('<files...>', 'files, or folders of .json files')
    .option('--json', 'print one JSON object per line, with every problem and its JSON path')
    .addHelpText(
      'after',
      '\nExample:\n  lockhound api validate apis/*.json\n\nExit codes: 0 all valid, 2 at least one is not.',
    )
    .action(async (files: string[], { json }: ValidateOptions) => {
      const { validateFiles } = await import('../../commands/api/validate-files.ts');
      let invalid = false;
      for await (const file of validateFiles(files)) {
        invalid ||= !file.valid;
        terminal.out(json === true ? `${JSON.stringify(file)}\n` : validationText(file, terminal));
      }
      if (invalid) exit(EXIT.error);
    });
}
