import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../src/operations');

/** The catalog of operations: what each file of `src/operations/<noun>/` exports as the operation of a method. */
export async function generateOperations() {
  const files = (await readdir(FOLDER, { recursive: true })).filter((name) => /^\w+\/[\w-]+\.ts$/.test(name));
  const lines = await Promise.all(files.sort().map(lineOf));
  const content = `// Generated from src/operations/<noun>/<verb>.ts by \`npm run generate\`. Do not edit.

/** Loads the function of each method, by its id. */
export const OPERATIONS = {
${lines.flat().join('')}};
`;
  return [{ path: 'src/operations/catalog.generated.ts', content }];
}

async function lineOf(file: string): Promise<readonly string[]> {
  const text = await readFile(join(FOLDER, file), 'utf8');
  const found = /^export const (\w+): Operation<\s*'([^']+)'/m.exec(text);
  if (found === null) return [];
  const [, name = '', id = ''] = found;
  const own = file
    .replace('.ts', '')
    .replace('/', '.')
    .replaceAll(/-[a-z]/g, (part) => part.slice(1).toUpperCase());
  if (id !== `lockhound.${own}`)
    throw new RangeError(`src/operations/${file} has the operation of another method: ${id}`);
  return [`  '${id}': async () => (await import('./${file}')).${name},\n`];
}
