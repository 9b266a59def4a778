import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { ParsedFile } from '../model/lockfile/parsed-file.ts';
import { isReadWhole } from '../model/lockfile/read-whole.ts';
import { listParts, openedObject } from './json.ts';

/** One line of JSON for a file, in parts. Facts that a file does not contain are `null`. */
export function* parsedFileJson({ path, lockfile, error }: ParsedFile): Generator<string> {
  if (lockfile === undefined) return yield `${JSON.stringify({ path, error })}\n`;
  const { format, packages, problems } = lockfile;
  yield `${openedObject({ path, format, complete: isReadWhole(lockfile) })},"packages":`;
  yield* listParts(packages, packageJson);
  yield ',"problems":';
  yield* listParts(problems, ({ kind, line, message }) => ({ kind, line: line ?? null, message }));
  yield '}\n';
}

function packageJson(locked: LockedPackage): object {
  const { direct, line, dependencies } = locked;
  // Readers create packages with their fields in this order; copies of all of them take longer than printing them.
  if (direct !== undefined && line !== undefined && dependencies !== undefined) return locked;
  const { id, ecosystem, name, version, purl, groups, integrity, source } = locked;
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
