import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { commandPages } from './docs/command-pages.ts';
import { formatPages } from './docs/format-pages.ts';
import { generateDefaults } from './generate-defaults.ts';
import { generateDocs } from './generate-docs.ts';
import { generateKnownFormats } from './generate-known-formats.ts';
import { generateOperations } from './generate-operations.ts';
import { generateReportAssets } from './generate-report-assets.ts';
import { generateSchemas } from './generate-schemas.ts';
import { generateTypes } from './generate-types.ts';

/** A generated file that is committed; `path` is relative to the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

/** All generators. */
const GENERATORS: readonly (() => Promise<readonly GeneratedFile[]> | readonly GeneratedFile[])[] = [
  generateTypes,
  generateDefaults,
  generateKnownFormats,
  generateOperations,
  generateReportAssets,
  generateSchemas,
  generateDocs,
  commandPages,
  formatPages,
];
/** Folders that contain generated files only. */
const GENERATED_FOLDERS = ['docs/commands', 'docs/formats'];

const root = path.resolve(import.meta.dirname, '..');
const check = process.argv.includes('--check');
const stale: string[] = [];
const generated = new Set<string>();

for (const generate of GENERATORS) {
  for (const file of await generate()) {
    generated.add(file.path);
    const target = path.join(root, file.path);
    const present = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (present === file.content) continue;
    stale.push(file.path);
    if (check) continue;
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, file.content);
  }
}

for (const folder of GENERATED_FOLDERS) {
  for (const name of await readdir(path.join(root, folder))) {
    const file = `${folder}/${name}`;
    if (generated.has(file)) continue;
    stale.push(file);
    if (!check) await rm(path.join(root, file));
  }
}

for (const file of stale) console.log(check ? `stale: ${file} (run npm run generate)` : `written: ${file}`);
if (check && stale.length > 0) process.exitCode = 1;
