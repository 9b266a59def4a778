import { posix } from 'node:path';
import { normalizedName } from '../ecosystems/python.ts';
import { LockfileError } from '../errors.ts';
import type { Format, LockfileInput } from '../format.ts';
import { CUT, draftPackage, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import { registrySource } from '../packages/sources.ts';
import { decodeText } from '../syntax/decode-text.ts';
import { parseRequirement, type Requirement } from './requirement.ts';

/** pip's requirements files, with the files that they include. */
export const requirementsTxt: Format = {
  name: 'requirements-txt',
  title: 'requirements.txt (pip, pip-compile, uv, Rye)',
  ecosystem: 'pypi',
  fileNames: [
    'requirements.txt',
    'requirements*.txt',
    '*requirements.txt',
    '*-requirements-*.txt',
    'requirements/*.txt',
    'requirements.lock',
    'requirements-dev.lock',
  ],
  facts: { edges: false, groups: false, integrity: true, lines: true },
  mayBeEmpty: true,
  companions: includedPaths,
  recognises: (head) => /^[\w.-]+(?:\[[\w,. -]+\])?\s*==\s*\d[\w.!+*-]*\s*(?:$|[;#\\]|--hash)/m.test(head),
  read: readRequirements,
};

/** Included files are read recursively. */
const MAX_FILES = 1_000;

/** The statements of a file and of all files that it includes. */
interface Collected {
  readonly requirements: { readonly requirement: Requirement; readonly line: number | undefined }[];
  /** By normalised name. */
  readonly constraints: Map<string, Requirement>;
  readonly seen: Set<string>;
  readonly builder: LockfileBuilder;
  index: string | undefined;
}

const INDEX = /^(?:-i|--index-url|--pypi-url)(?:\s*=\s*|\s+)(\S+)/;
const OPTION = /^-/;
const EDITABLE = /^(?:-e|--editable)(?:\s*=\s*|\s+)(.+)$/s;

/** A requirement that allows several versions becomes a package without a version: the installed version is unknown. */
function readRequirements(input: LockfileInput, builder: LockfileBuilder): void {
  const collected: Collected = {
    requirements: [],
    constraints: new Map(),
    seen: new Set(['']),
    builder,
    index: undefined,
  };
  collect(input.text, { input, path: '', isConstraint: false }, collected);
  for (const { requirement, line } of collected.requirements) {
    const { name, version, integrity, source } = requirement;
    const pinned = collected.constraints.get(normalizedName(name));
    const draft = draftPackage({
      ecosystem: 'pypi',
      name,
      version: version === '' ? (pinned?.version ?? '') : version,
      source: source ?? pinned?.source ?? registrySource(collected.index),
      line,
      integrity,
    });
    const added = builder.add(draft, line, name);
    if (added?.version === '' && added.source.kind === 'registry') {
      builder.problem(
        line,
        `"${name}" has no exact version, so that the installed one is not known`,
        'unclear',
      );
    }
  }
}

interface Place {
  readonly input: LockfileInput;
  /** Relative to the lockfile; empty for the lockfile itself. */
  readonly path: string;
  readonly isConstraint: boolean;
}

/** The end of a file whose last line goes on, or has a digest that is too short. */
const CUT_END = /(?:\\\r?\n?|--hash=sha256:[0-9a-f]{0,63})$/;

function collect(text: string, place: Place, collected: Collected): void {
  const last = text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
  if (CUT_END.test(last) && !/^\s*#/.test(last))
    collected.builder.problem(undefined, `its last line goes on: ${CUT}`);
  for (const statement of logicalLines(text)) {
    const include = includeOf(statement.text);
    if (include === undefined) readStatement(statement, place, collected);
    else {
      const isConstraint = place.isConstraint || include.isConstraint;
      readIncluded(include.path, { ...place, isConstraint }, lineOf(statement, place), collected);
    }
  }
}

/** Packages and problems have lines in the lockfile only, not in included files. */
function lineOf({ line }: LogicalLine, { path }: Place): number | undefined {
  return path === '' ? line : undefined;
}

function readIncluded(stated: string, from: Place, line: number | undefined, collected: Collected): void {
  const { seen, builder } = collected;
  const path = posix.normalize(posix.join(posix.dirname(from.path), stated));
  if (seen.has(path) || path === posix.basename(from.input.path)) return;
  seen.add(path);
  if (seen.size > MAX_FILES) {
    builder.problem(line, `includes more than ${MAX_FILES} files, the limit`);
    return;
  }
  const content = from.input.companion?.(path);
  if (content === undefined) {
    const within = from.path === '' ? '' : ` (included by ${from.path})`;
    builder.problem(line, `includes ${stated.slice(0, 200)}${within}, which is not available`);
    return;
  }
  try {
    collect(decodeText(content, path), { ...from, path }, collected);
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    builder.problem(line, `includes a file that cannot be read: ${error.message}`);
  }
}

function readStatement(statement: LogicalLine, place: Place, collected: Collected): void {
  const line = lineOf(statement, place);
  const editable = EDITABLE.exec(statement.text)?.[1]?.replace(/^(["'])(.*)\1$/s, '$2');
  if (editable === undefined && OPTION.test(statement.text)) {
    collected.index = INDEX.exec(statement.text)?.[1] ?? collected.index;
    return;
  }
  const requirement = parseRequirement(editable ?? statement.text);
  if (requirement === 'own') return;
  if (typeof requirement === 'string') {
    const within = place.path === '' ? '' : ` in ${place.path}, line ${statement.line}`;
    collected.builder.problem(line, `"${statement.text.slice(0, 120)}"${within} ${requirement}`);
  } else if (place.isConstraint) {
    collected.constraints.set(normalizedName(requirement.name), requirement);
  } else collected.requirements.push({ requirement, line });
}

/** A line after joining continued lines and removing comments, as pip does. */
interface LogicalLine {
  /** 1-based line of its beginning. */
  readonly line: number;
  readonly text: string;
}

const COMMENT = /(?:^|\s)#.*$/s;
const INCLUDE = /^(?:-[rc](?:\s*=\s*|\s*)|--(?:requirement|constraint)s?(?:\s*=\s*|\s+))(\S.*)$/;

/** Joins lines that end in a backslash. A comment line ends the logical line, even with a backslash at its end. */
function logicalLines(text: string): readonly LogicalLine[] {
  const found: LogicalLine[] = [];
  let joined = '';
  let start = 0;
  const end = (line: number): void => {
    const statement = joined.replace(COMMENT, '').trim();
    if (statement !== '') found.push({ line: start === 0 ? line : start, text: statement });
    joined = '';
    start = 0;
  };
  for (const { line, text: raw } of rawLines(text)) {
    if (start === 0 && raw.trim() !== '') start = line;
    const isComment = /^\s*#/.test(raw);
    if (raw.endsWith('\\') && !isComment) {
      joined += raw.slice(0, -1);
      continue;
    }
    joined += isComment ? ` ${raw}` : raw;
    end(line);
  }
  end(start);
  return found;
}

/** Characters that end a line, and therefore a comment, in Python but not in editors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const SEPARATORS = /[\v\f\x1c-\x1e\x85\u2028\u2029]/;

function rawLines(text: string): readonly LogicalLine[] {
  return text
    .split(/\r\n|\r|\n/)
    .flatMap((row, index) => row.split(SEPARATORS).map((part) => ({ line: index + 1, text: part })));
}

/** The file that a line includes. `isConstraint`: a constraint limits the versions of requirements and is not a requirement itself. */
function includeOf(text: string) {
  const path = INCLUDE.exec(text)?.[1];
  if (path === undefined) return undefined;
  return { path: path.replace(/^(["'])(.*)\1$/, '$2'), isConstraint: /^(?:-c|--constraint)/.test(text) };
}

/** Paths of the files that a requirements file includes. */
function includedPaths(text: string): readonly string[] {
  return logicalLines(text).flatMap((line) => includeOf(line.text)?.path ?? []);
}
