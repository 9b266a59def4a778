import type { z } from 'zod';
import { TARGET_FILE } from '../lockfiles/companions.ts';
import { LockfileError } from '../lockfiles/errors.ts';
import type { Companion } from '../lockfiles/format.ts';
import { defined } from '../model/defined.ts';
import { CodedError } from '../model/errors.ts';
import { isObject } from '../model/json-object.ts';
import type { Problem } from '../model/lockfile/lockfile.ts';
import { MAX_OWNERS, OWNER } from '../model/scan/owner.ts';
import type { Suppression } from '../model/scan/suppression.ts';

const MAX_BYTES = 262_144;
const MAX_ENTRIES = 1_000;

interface TargetSettings {
  readonly suppressions: readonly Suppression[];
  /** The owners; absent where the file states none. */
  readonly owners?: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the suppressions and owners in the `.lockhound.yaml` beside a lockfile. What is not valid has no effect and is a problem of the
 * lockfile; other entries apply.
 */
export async function readTargetSettings(file: Companion, lockfile: string): Promise<TargetSettings> {
  const path = `${lockfile.slice(0, lockfile.lastIndexOf('/') + 1)}${TARGET_FILE}`;
  if (file.content === undefined) return refused(path, file.error.message);
  if (file.content.length > MAX_BYTES) return refused(path, `larger than ${MAX_BYTES} bytes`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file.content);
    // Loaded on use: few targets have the file.
    const { parseYaml } = await import('../lockfiles/syntax/parse-yaml.ts');
    const [document] = parseYaml(text, path);
    return await readContent(document?.content ?? {}, path, lockfile);
  } catch (error) {
    if (error instanceof TypeError) return refused(path, 'is not UTF-8');
    if (!(error instanceof LockfileError) && !(error instanceof CodedError)) throw error;
    return refused(path, error.message);
  }
}

async function readContent(content: unknown, path: string, lockfile: string): Promise<TargetSettings> {
  if (content === '') return { suppressions: [], problems: [] };
  if (!isObject(content)) return refused(path, 'is not a mapping');
  const { suppressions: entries = [], owners: stated, ...others } = content;
  const problems = Object.keys(others).map((key) => problemOf(path, `unknown key ${JSON.stringify(key)}`));
  const owners = stated === undefined ? undefined : ownersOf(stated);
  if (stated !== undefined && owners === undefined)
    problems.push(problemOf(path, '`owners` is not a list of @user, @organisation/team or e-mail addresses'));
  if (!Array.isArray(entries)) return withProblem(problems, path, '`suppressions` is not a list');
  if (entries.length > MAX_ENTRIES) {
    return withProblem(problems, path, `more than ${MAX_ENTRIES} suppressions: none of them applies`);
  }
  const { suppressionOf, targetSuppressionEntry } = await import('../policy/suppressions/entry.ts');
  const schema = targetSuppressionEntry();
  const suppressions = entries.flatMap((entry: unknown, index): Suppression | readonly [] => {
    const place = `suppressions[${index}]`;
    const parsed = schema.safeParse(entry);
    if (parsed.success) {
      const scope = { ...parsed.data, path: lockfile };
      return suppressionOf(scope, { id: `${path} ${place}`, source: 'target' });
    }
    problems.push(...parsed.error.issues.map((issue) => problemOf(path, faultOf(place, issue))));
    return [];
  });
  return { suppressions, ...defined({ owners }), problems };
}

function ownersOf(stated: unknown): readonly string[] | undefined {
  if (!Array.isArray(stated) || stated.length > MAX_OWNERS) return undefined;
  return stated.every((one): one is string => typeof one === 'string' && OWNER.test(one))
    ? stated
    : undefined;
}

function faultOf(place: string, { path, message }: z.core.$ZodIssue): string {
  return `${[place, ...path.map(String)].join('.')}: ${message}`;
}

function withProblem(problems: readonly Problem[], path: string, message: string): TargetSettings {
  return { suppressions: [], problems: [...problems, problemOf(path, message)] };
}

function refused(path: string, message: string): TargetSettings {
  return withProblem([], path, message);
}

/** A problem of what is suppressed. It hides no package. */
function problemOf(path: string, message: string): Problem {
  const text = message.startsWith(path) ? message : `${path}: ${message}`;
  return { kind: 'unclear', line: undefined, message: text.slice(0, 500) };
}
