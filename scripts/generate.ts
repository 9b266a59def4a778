import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generateTypes } from './generate-types.ts';

/** A generated file; `path` is relative to the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

type Generator = () => Promise<readonly GeneratedFile[]> | readonly GeneratedFile[];

/** Code that the sources import. Each generator is loaded when the files of those before it exist, because it may import them. */
const OF_CODE: readonly (() => Promise<Generator>)[] = [
  async () => generateTypes,
  async () => {
    // The catalog imports what is generated from it.
    await writeMissing('src/lockfiles/known-formats.generated.ts', 'export const KNOWN_FORMATS = [];\n');
    return (await import('./generate-known-formats.ts')).generateKnownFormats;
  },
  async () => (await import('./generate-defaults.ts')).generateDefaults,
  async () => (await import('./generate-operations.ts')).generateOperations,
  async () => (await import('./generate-report-assets.ts')).generateReportAssets,
  async () => (await import('./generate-openapi.ts')).generateOpenApi,
];
/** What producers and people read. */
const OF_DOCUMENTS: typeof OF_CODE = [
  async () => (await import('./generate-schemas.ts')).generateSchemas,
  async () => (await import('./generate-docs.ts')).generateDocs,
  async () => (await import('./docs/command-pages.ts')).commandPages,
  async () => (await import('./docs/format-pages.ts')).formatPages,
];
/** Folders that contain generated files only. */
const GENERATED_FOLDERS = ['docs/commands', 'docs/formats'];

const root = path.resolve(import.meta.dirname, '..');
/** `--check` compares what is checked in, and writes the rest. */
const check = process.argv.includes('--check');
/** `--code` writes only what the sources import: after `npm ci`, and before types, tests and builds. */
const codeOnly = process.argv.includes('--code');
const checkedIn = new Set(
  check ? execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n') : [],
);
const stale: string[] = [];
const generated = new Set<string>();

for (const load of codeOnly ? OF_CODE : [...OF_CODE, ...OF_DOCUMENTS]) {
  const generate = await load();
  for (const file of await generate()) {
    generated.add(file.path);
    const target = path.join(root, file.path);
    const present = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (present === file.content) continue;
    const isCompared = checkedIn.has(file.path);
    if (isCompared || !check) stale.push(file.path);
    if (isCompared) continue;
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, file.content);
  }
}

for (const folder of codeOnly ? [] : GENERATED_FOLDERS) {
  for (const name of await readdir(path.join(root, folder))) {
    const file = `${folder}/${name}`;
    if (generated.has(file)) continue;
    stale.push(file);
    if (!check) await rm(path.join(root, file));
  }
}

for (const file of stale) console.log(check ? `stale: ${file} (run npm run generate)` : `written: ${file}`);
if (check && stale.length > 0) process.exitCode = 1;

async function writeMissing(file: string, content: string): Promise<void> {
  await writeFile(path.join(root, file), content, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
