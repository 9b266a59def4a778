/**
 * Finds regular expressions that take more than linear time for some text, in the code and in the published documents. Part of
 * `npm run lint`. A text of some kilobytes with which such an expression is called holds a worker for seconds.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT } from './patterns/built.ts';
import { codeFiles, collectPatterns, documentPatterns } from './patterns/collect.ts';
import { slowPatterns } from './patterns/growth.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['src', 'bin', 'web', 'scripts'];

const { found, built } = collectPatterns(ROOT, codeFiles(ROOT, FOLDERS));
const documents = readdirSync(join(ROOT, 'apis')).flatMap((name) =>
  documentPatterns(`apis/${name}`, JSON.parse(readFileSync(join(ROOT, 'apis', name), 'utf8'))),
);
const unknown = built.filter(({ file }) => BUILT[file] === undefined);
const outdated = Object.keys(BUILT).filter((file) => built.every((one) => one.file !== file));
const slow = slowPatterns([...found, ...documents]);

for (const { place } of unknown) {
  console.error(`${place}: builds a regular expression: add examples to scripts/patterns/built.ts`);
}
for (const file of outdated) console.error(`scripts/patterns/built.ts: ${file} builds no regular expression`);
for (const { places, pattern, flags, text } of slow) {
  const shown = [text.prefix, text.pump, text.suffix].map((part) => JSON.stringify(part)).join(', ');
  console.error(`${places.join(', ')}: /${pattern}/${flags} takes more than linear time (${shown})`);
}
console.log(`${found.length} regular expressions, ${slow.length} slow`);
if (slow.length + unknown.length + outdated.length > 0) process.exitCode = 1;
