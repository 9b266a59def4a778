import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The section of a version in the changelog. Throws `RangeError` when there is none, when it is empty, or when the tag is not the
 * version of the package.
 */
export function releaseNotes(changelog: string, packageVersion: string, tag: string): string {
  const version = tag.replace(/^v/, '');
  if (version !== packageVersion) {
    throw new RangeError(`the tag ${tag} is not the version of the package, ${packageVersion}`);
  }
  const sections = changelog.split(/^## /m);
  const own = sections.find((section) => section.split(/[\s,:]/, 1)[0] === version);
  const notes = own?.slice(own.indexOf('\n') + 1).trim() ?? '';
  if (notes === '') throw new RangeError(`CHANGELOG.md has no section "## ${version}", or it is empty`);
  return `${notes}\n`;
}

if (import.meta.main) {
  const read = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  process.stdout.write(releaseNotes(read('CHANGELOG.md'), version, process.argv[2] ?? ''));
}
