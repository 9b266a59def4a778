import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import type { RestDescription } from '../../discovery/description/description.ts';
import { countMethods } from '../../discovery/description/methods.ts';
import type { ValidatedFile } from '../../discovery/description/validate-description.ts';
import { codedError } from '../../files/errors.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import { printable } from '../../model/printable.ts';
import { palette, type TextOptions } from '../../report/layout.ts';
import { EXIT } from '../program/errors.ts';
import type { Terminal } from '../program/terminal.ts';

export function validateCommand(terminal: Terminal, exit: (code: number) => void): Command {
  return new Command('validate')
    .description('Validate description documents and print a line for each. Unknown fields are allowed.')
    .argument('<files...>', 'files, or folders of .json files')
    .option('--json', 'print one JSON object per line, with every problem and its JSON path')
    .addHelpText(
      'after',
      '\nExample:\n  lockhound api validate apis/*.json\n\nExit codes: 0 all valid, 2 at least one is not.',
    )
    .action(async (files: string[], { json }: { readonly json?: boolean }) => {
      let invalid = false;
      for await (const file of validateFiles(files)) {
        invalid ||= !file.valid;
        terminal.out(json === true ? `${JSON.stringify(file)}\n` : validationText(file, terminal));
      }
      if (invalid) exit(EXIT.error);
    });
}

const SHOWN_PROBLEMS = 3;

/**
 * Whether a description document is valid, and the first of its problems: one line for each file, regardless of the
 * width.
 */
function validationText(file: ValidatedFile, { colour }: TextOptions): string {
  const paint = palette(colour);
  const { valid, id, methods, schemas } = file;
  const problems = file.problems.filter(({ severity }) => !valid === (severity === 'error'));
  const rest = problems.length - SHOWN_PROBLEMS;
  const texts = [
    ...(valid ? [`${id ?? '(no id)'}: ${methods} methods, ${schemas} schemas`] : []),
    ...problems
      .slice(0, SHOWN_PROBLEMS)
      .map(({ path, message }) => `${valid ? 'odd: ' : ''}${path} ${message}`),
    ...(rest > 0 ? [`and ${rest} more (--json lists them)`] : []),
  ];
  const verdict = valid ? paint.good('valid  ') : paint.bad('invalid');
  return `${verdict}  ${paint.strong(printable(file.file))}  ${printable(texts.join('; '))}\n`;
}

/** Validates files, and every `.json` file of folders, one after another. A file that cannot be read is an invalid result. */
async function* validateFiles(paths: readonly string[]): AsyncGenerator<ValidatedFile> {
  for (const path of paths) {
    const files = await filesOf(path);
    if (files instanceof CodedError) {
      yield unusable(path, files.message);
      continue;
    }
    for (const file of files) yield await validateFile(file);
    // Without files the check would always pass.
    if (files.length === 0) yield unusable(path, 'is a folder without .json files');
  }
}

async function filesOf(path: string): Promise<readonly string[] | CodedError> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  try {
    const names = await readdir(path);
    return names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(path, name));
  } catch (error) {
    return codedError(path, error);
  }
}

function unusable(file: string, message: string): ValidatedFile {
  const problem = { severity: 'error', path: '$', message } as const;
  return { file, valid: false, id: null, methods: 0, schemas: 0, problems: [problem] };
}

async function validateFile(file: string): Promise<ValidatedFile> {
  let value: unknown;
  try {
    const { readDocumentFile } = await import('../../commands/api/documents.ts');
    value = JSON.parse(await readDocumentFile(file));
  } catch (error) {
    const message = error instanceof CodedError ? error.message : `is not JSON: ${messageOf(error)}`;
    return unusable(file, message);
  }
  const { validateDescription } = await import('../../discovery/description/validate-description.ts');
  const problems = validateDescription(value);
  const document: RestDescription = isObject(value) ? value : {};
  return {
    file,
    valid: problems.every(({ severity }) => severity !== 'error'),
    id: typeof document.id === 'string' ? document.id : null,
    methods: countMethods(document),
    schemas: Object.keys(document.schemas ?? {}).length,
    problems,
  };
}
