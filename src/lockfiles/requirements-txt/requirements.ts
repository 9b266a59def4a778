import { posix } from 'node:path';
import { normalizedName } from '../ecosystems/python-names.ts';
import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';
import { withoutCredentials } from '../packages/credentials.ts';
import { draftPackage } from '../packages/package-draft.ts';
import { Reading } from '../reading.ts';
import { decodeText } from '../syntax/decode-text.ts';
import { includeOf, type LogicalLine, logicalLines } from './logical-lines.ts';
import { parseRequirement, type Requirement } from './requirement.ts';

/** Files included by each other; they are read within each other. */
const MAX_FILES = 1_000;

/** What has been gathered of a file and of all that it includes. */
interface Gathered {
  readonly requirements: { readonly requirement: Requirement; readonly line: number | undefined }[];
  /** Versions by normalised name. */
  readonly constraints: Map<string, Requirement>;
  readonly seen: Set<string>;
  readonly reading: Reading;
  index: string | undefined;
}

const INDEX = /^(?:-i|--index-url|--pypi-url)(?:\s*=\s*|\s+)(\S+)/;
const OPTION = /^-/;
const EDITABLE = /^(?:-e|--editable)(?:\s*=\s*|\s+)(.+)$/s;

/**
 * Reads the requirements of a file and of those it includes that came with it. A requirement that leaves the version open
 * is a package without one: what would be installed is not written down, and is not guessed.
 */
export function readRequirements(input: LockfileInput) {
  const gathered: Gathered = {
    requirements: [],
    constraints: new Map(),
    seen: new Set(['']),
    reading: new Reading(),
    index: undefined,
  };
  gather(input.text, { input, path: '', isConstraint: false }, gathered);
  const { reading, constraints, index } = gathered;
  for (const { requirement, line } of gathered.requirements) {
    const { name, source } = requirement;
    const pinned = constraints.get(normalizedName(name));
    const version = requirement.version === '' ? (pinned?.version ?? '') : requirement.version;
    const registry =
      index === undefined ? ({ kind: 'registry' } as const) : ({ kind: 'registry', url: index } as const);
    const draft = draftPackage({
      ecosystem: 'pypi',
      name,
      version,
      source: source ?? pinned?.source ?? registry,
      line,
      integrity: requirement.integrity,
    });
    reading.take(draft, line, name);
  }
  return reading.result();
}

interface Place {
  readonly input: LockfileInput;
  /** Relative to the lockfile; empty for the lockfile itself. */
  readonly path: string;
  readonly isConstraint: boolean;
}

function gather(text: string, place: Place, gathered: Gathered): void {
  for (const statement of logicalLines(text)) {
    const include = includeOf(statement.text);
    if (include === undefined) take(statement, place, gathered);
    else {
      const isConstraint = place.isConstraint || include.isConstraint;
      follow(include.path, { ...place, isConstraint }, lineOf(statement, place), gathered);
    }
  }
}

/** Lines are those of the lockfile: what stands in another file has none in it. */
function lineOf({ line }: LogicalLine, { path }: Place): number | undefined {
  return path === '' ? line : undefined;
}

function follow(stated: string, from: Place, line: number | undefined, gathered: Gathered): void {
  const path = posix.normalize(posix.join(posix.dirname(from.path), stated));
  if (gathered.seen.has(path) || isTheLockfile(path, from.input)) return;
  gathered.seen.add(path);
  if (gathered.seen.size > MAX_FILES) {
    gathered.reading.problem(line, `includes more than the ${MAX_FILES} files that are read`);
    return;
  }
  const content = from.input.sibling?.(path);
  const within = from.path === '' ? '' : ` (included by ${from.path})`;
  if (content === undefined) {
    gathered.reading.problem(line, `includes ${stated.slice(0, 200)}${within}, which did not come with it`);
    return;
  }
  try {
    gather(decodeText(content, path), { ...from, path }, gathered);
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    gathered.reading.problem(line, `includes a file that cannot be read: ${error.message}`);
  }
}

function isTheLockfile(path: string, input: LockfileInput): boolean {
  return path === posix.basename(input.path);
}

function take(statement: LogicalLine, place: Place, gathered: Gathered): void {
  const line = lineOf(statement, place);
  const editable = EDITABLE.exec(statement.text)?.[1]?.replace(/^(["'])(.*)\1$/s, '$2');
  if (editable === undefined && OPTION.test(statement.text)) {
    const index = INDEX.exec(statement.text)?.[1];
    if (index !== undefined) gathered.index = withoutCredentials(index);
    return;
  }
  const requirement = parseRequirement(editable ?? statement.text);
  // The folder of the target itself, which tools list as editable.
  if (requirement === 'own') return;
  if (typeof requirement === 'string') {
    const within = place.path === '' ? '' : ` in ${place.path}, line ${statement.line}`;
    gathered.reading.problem(line, `"${statement.text.slice(0, 120)}"${within} ${requirement}`);
  } else if (place.isConstraint) {
    gathered.constraints.set(normalizedName(requirement.name), requirement);
  } else gathered.requirements.push({ requirement, line });
}
