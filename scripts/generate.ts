import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generateDefaults } from './generate-defaults.ts';
import { generateDocs } from './generate-docs.ts';
import { generateKnownFormats } from './generate-known-formats.ts';
import { generateReportAssets } from './generate-report-assets.ts';
import { generateSchemas } from './generate-schemas.ts';
import { generateTypes } from './generate-types.ts';

/** A generated file that is committed; `path` is relative to the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

/** All generators. */
const GENERATORS: readonly (() => Promise<readonly GeneratedFile[]>)[] = [
  generateTypes,
  generateDefaults,
  generateKnownFormats,
  generateReportAssets,
  generateSchemas,
  generateDocs,
];

const root = path.resolve(import.meta.dirname, '..');
const check = process.argv.includes('--check');
const stale: string[] = [];

for (const generate of GENERATORS) {
  for (const file of await generate()) {
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

for (const file of stale) console.log(check ? `stale: ${file} (run npm run generate)` : `written: ${file}`);
if (check && stale.length > 0) process.exitCode = 1;
