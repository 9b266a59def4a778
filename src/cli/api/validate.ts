import { Command } from 'commander';
import { palette } from '../../report/palette.ts';
import { printable } from '../../report/printable.ts';
import { EXIT } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';

interface ValidateOptions {
  readonly json?: boolean;
}

const SHOWN_PROBLEMS = 3;

export function validateCommand(terminal: Terminal, exit: (code: number) => void): Command {
  return new Command('validate')
    .description('Check description documents, a line for each. Unknown fields are kept and fine.')
    .argument('<files...>', 'files, or folders of .json files')
    .option('--json', 'print one JSON object a line, with every problem and its JSON path')
    .addHelpText(
      'after',
      '\nExample:\n  lockhound api validate apis/*.json\n\nExit codes: 0 all valid, 2 one or more are not.',
    )
    .action(async (files: string[], { json }: ValidateOptions) => {
      const { validateFiles } = await import('../../commands/api/validate-files.ts');
      let invalid = false;
      for await (const file of validateFiles(files)) {
        invalid ||= !file.valid;
        terminal.out(`${json === true ? JSON.stringify(file) : lineOf(file, terminal)}\n`);
      }
      if (invalid) exit(EXIT.error);
    });
}

type File = Parameters<typeof lineOf>[0];

function lineOf(
  {
    file,
    valid,
    id,
    methods,
    schemas,
    problems,
  }: {
    readonly file: string;
    readonly valid: boolean;
    readonly id: string | null;
    readonly methods: number;
    readonly schemas: number;
    readonly problems: readonly {
      readonly severity: string;
      readonly path: string;
      readonly message: string;
    }[];
  },
  { colour }: Pick<Terminal, 'colour'>,
): string {
  const paint = palette(colour);
  const name = paint.strong(printable(file));
  const told = problemsText(problems.filter(({ severity }) => !valid === (severity === 'error')));
  if (!valid) return `${paint.bad('invalid')}  ${name}  ${told}`;
  const facts = `${printable(id ?? '(no id)')}: ${methods} methods, ${schemas} schemas`;
  return `${paint.good('valid  ')}  ${name}  ${facts}${told === '' ? '' : `; ${paint.faint(`odd: ${told}`)}`}`;
}

function problemsText(problems: File['problems']): string {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(({ path, message }) => printable(`${path} ${message}`));
  const rest = problems.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more (--json lists them)`] : [])].join('; ');
}
