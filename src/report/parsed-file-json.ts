import { isReadWhole, type LockedPackage } from '../model/scan/lockfile.ts';
import type { ParsedFile } from '../model/scan/parsed-file.ts';

/** One line of JSON for a file. Facts that a file does not contain are `null`. */
export function parsedFileJson(file: ParsedFile): string {
  if (file.error !== undefined) return `${JSON.stringify({ path: file.path, error: file.error })}\n`;
  const { format, packages, problems } = file.lockfile;
  return `${JSON.stringify({
    path: file.path,
    format,
    complete: isReadWhole(file.lockfile),
    packages: packages.map(packageJson),
    problems: problems.map(({ kind, line, message }) => ({ kind, line: line ?? null, message })),
  })}\n`;
}

function packageJson(locked: LockedPackage) {
  const { id, ecosystem, name, version, purl, direct, groups, integrity, source, line, dependencies } =
    locked;
  return {
    id,
    ecosystem,
    name,
    version,
    purl,
    direct: direct ?? null,
    groups,
    integrity,
    source,
    line: line ?? null,
    dependencies: dependencies ?? null,
  };
}
