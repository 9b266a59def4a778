import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * The licence texts of the packages that these files belong to, ordered by package name. Copies of the code have to
 * include them.
 */
export function licensesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file.replaceAll('\\', '/'))?.[0] ?? []));
  return [...folders]
    .map(licenseOf)
    .sort()
    .join(`${'-'.repeat(80)}\n\n`);
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license: string;
  };
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (file) => file.isFile() && /^(?:licen[cs]e|notice|copying)/i.test(file.name),
  );
  const texts = files.map(({ name: file }) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts, ''].join('\n\n');
}
