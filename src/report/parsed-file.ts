import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { ParsedFile } from '../model/lockfile/parsed-file.ts';
import { isReadWhole } from '../model/lockfile/read-whole.ts';
import { printable } from '../model/printable.ts';
import { listParts, openedObject } from './json.ts';
import { counted, fitLines, palette, type TextOptions } from './layout.ts';

const MAX_PROBLEMS = 20;

/** A few lines for a person: what is in a file, and what could not be read. */
export function parsedFileText(file: ParsedFile, options: TextOptions): string {
  const paint = palette(options.colour);
  const path = paint.strong(printable(file.path));
  if (file.error !== undefined) {
    const reason = `${printable(file.error.message)} [${file.error.code}]`;
    return fitLines([path, `  ${paint.bad('not read')}: ${reason}`], options);
  }
  const { format, packages, problems } = file.lockfile;
  const lines = [`${path}  ${paint.faint(format)}`, `  ${summary(packages)}`];
  if (!isReadWhole(file.lockfile))
    lines.push(`  ${paint.bad('not read completely')}: packages may be missing`);
  for (const { line, message } of problems.slice(0, MAX_PROBLEMS)) {
    lines.push(
      `  ${paint.bad('problem')}: ${line === undefined ? '' : `line ${line}: `}${printable(message)}`,
    );
  }
  if (problems.length > MAX_PROBLEMS) lines.push(`  … and ${problems.length - MAX_PROBLEMS} more problems`);
  return fitLines(lines, options);
}

function summary(packages: readonly LockedPackage[]): string {
  const parts = [counted(packages.length, 'package')];
  const direct = packages.filter((one) => one.direct === true).length;
  if (packages.some((one) => one.direct !== undefined)) parts.push(`${direct} direct`);
  const groups = new Map<string, number>();
  for (const one of packages) for (const group of one.groups) groups.set(group, (groups.get(group) ?? 0) + 1);
  for (const [group, count] of [...groups].sort(([, left], [, right]) => right - left).slice(0, 5)) {
    parts.push(`${count} ${printable(group)}`);
  }
  const elsewhere = packages.filter(({ source }) => source.kind !== 'registry').length;
  if (elsewhere > 0) parts.push(`${elsewhere} from no registry`);
  const open = packages.filter((one) => one.version === '').length;
  if (open > 0) parts.push(`${open} without a version`);
  return parts.join(', ');
}

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
