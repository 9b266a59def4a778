import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const INSTALLED = join(import.meta.dirname, '../node_modules').replaceAll('\\', '/');

/**
 * The licence texts of the packages that these files belong to or contain, ordered by package name. Copies of the code
 * have to include them. Throws when a contained package is not installed: it is a development dependency then.
 */
export function licensesOf(files: readonly string[]): string {
  const folders = new Set(
    files.flatMap((file) => {
      const folder = PACKAGE.exec(file.replaceAll('\\', '/'))?.[0];
      return folder === undefined ? [] : [folder, ...containedIn(file)];
    }),
  );
  return [...folders]
    .map(licenseOf)
    .sort()
    .join(`${'-'.repeat(80)}\n\n`);
}

/** Packages that the publisher of a file has bundled into it, by the comments of the bundler. */
function containedIn(file: string): string[] {
  const regions = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('//#region '));
  return regions.flatMap((line) => {
    const name = PACKAGE.exec(line)?.[0].split('/node_modules/').at(-1);
    return name === undefined ? [] : `${INSTALLED}/${name}`;
  });
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
