import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from './project.ts';
import { succeed } from './run.ts';

/** Does what a person does with the commands of `lockhound fix`: runs them, and edits what a line with `#` names. */
export async function apply(
  folder: string,
  commands: readonly string[],
  environment: Environment,
): Promise<void> {
  for (const command of commands) {
    if (command.startsWith('#')) await edit(folder, command);
    else await succeed(folder, 'sh', ['-c', command], environment);
  }
}

async function edit(folder: string, line: string): Promise<void> {
  const [, entries] = /^# remove the entries of (.+) from yarn\.lock$/.exec(line) ?? [];
  if (entries !== undefined) return removeEntries(join(folder, 'yarn.lock'), entries.split(', '));
  const [, override] = /^# pnpm-workspace\.yaml: add ("[^"]+": .+) to overrides$/.exec(line) ?? [];
  if (override !== undefined) return addOverride(join(folder, 'pnpm-workspace.yaml'), override);
  throw new Error(`a line that says what to edit is not known: ${line}`);
}

/** Entries of yarn.lock are separated by empty lines: `name@range, name@range:` and `  version "…"`. */
async function removeEntries(file: string, ids: readonly string[]): Promise<void> {
  const entries = (await readFile(file, 'utf8')).split('\n\n');
  const kept = entries.filter(
    (entry) =>
      !ids.some((id) => {
        const at = id.lastIndexOf('@');
        const isNamed = entry
          .trimStart()
          .replace('"', '')
          .startsWith(`${id.slice(0, at)}@`);
        return isNamed && entry.includes(`\n  version "${id.slice(at + 1)}"\n`);
      }),
  );
  if (kept.length === entries.length) throw new Error(`${file} has no entries of ${ids.join(', ')}`);
  await writeFile(file, kept.join('\n\n'));
}

async function addOverride(file: string, entry: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const head = text.includes('overrides:\n') ? text : `${text}overrides:\n`;
  await writeFile(file, `${head}  ${entry}\n`);
}
