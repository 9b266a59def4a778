import { readFile } from 'node:fs/promises';
import { FORMATS } from '../src/lockfiles/catalog.ts';
import type { Format } from '../src/lockfiles/format.ts';

/** The names of all formats, so that a command loads only the readers of the files that it reads. */
export async function generateKnownFormats(): Promise<
  readonly { readonly path: string; readonly content: string }[]
> {
  const catalog = await readFile(new URL('../src/lockfiles/catalog.ts', import.meta.url), 'utf8');
  const files = new Map(
    [...catalog.matchAll(/^import \{ ([\w, ]+) \} from '(\.\/[\w-]+\/[\w-]+\.ts)';$/gm)].flatMap(
      ([, exported = '', file = '']) => exported.split(', ').map((one) => [one, file] as const),
    ),
  );
  const entries = await Promise.all(FORMATS.map((format) => entryOf(format, files)));
  const content = `// Generated from src/lockfiles/catalog.ts by \`npm run generate\`. Do not edit.
import type { KnownFormat } from './format.ts';

/** All formats by their names, in the order of the catalog. */
export const KNOWN_FORMATS: readonly KnownFormat[] = [
${entries.join('\n')}
];
`;
  return [{ path: 'src/lockfiles/known-formats.generated.ts', content }];
}

async function entryOf(format: Format, files: ReadonlyMap<string, string>): Promise<string> {
  const { name, aliases, fileNames, unreadable, overriddenBy, readsInOnePass } = format;
  for (const [exported, file] of files) {
    const module = await import(new URL(file, new URL('../src/lockfiles/catalog.ts', import.meta.url)).href);
    if (module[exported] !== format) continue;
    const stated = { name, aliases, fileNames, unreadable, overriddenBy, readsInOnePass };
    const facts = JSON.stringify(stated, null, 4).slice(2, -2);
    return `  {\n${facts},\n    load: async () => (await import('${file}')).${exported},\n  },`;
  }
  throw new Error(`src/lockfiles/catalog.ts does not import the format ${name}`);
}
