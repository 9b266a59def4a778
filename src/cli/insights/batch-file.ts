import { jsonValue } from '../../model/json-object.ts';
import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import { readInput } from '../program/input.ts';
import { systemOf } from './session.ts';

/**
 * Reads a batch file (`-`: standard input): a JSON list, a JSON object with `requests`, or lines, each of them text or
 * JSON; empty lines and lines that begin with `#` are skipped. `problems` name the items that are not requests. Throws
 * `CommandError` when the file cannot be read.
 */
export async function readBatchFile<Request>(
  file: string,
  read: (item: unknown) => Request | undefined,
): Promise<{ readonly requests: readonly Request[]; readonly problems: readonly string[] }> {
  const requests: Request[] = [];
  const problems: string[] = [];
  for (const { item, where } of itemsOf(await readInput(file))) {
    const request = read(item);
    if (request !== undefined) requests.push(request);
    else {
      const name = file === '-' ? 'standard input' : file;
      problems.push(`${name}, ${where}: ${JSON.stringify(item).slice(0, 120)}`);
    }
  }
  return { requests, problems };
}

interface Item {
  readonly item: unknown;
  /** `line 3` */
  readonly where: string;
}

function itemsOf(text: string): readonly Item[] {
  const whole = wholeDocument(text);
  if (whole !== undefined) return whole.map((item, index) => ({ item, where: `entry ${index + 1}` }));
  return text.split(/\r?\n/).flatMap((line, index): readonly Item[] => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    return [{ item: jsonOr(trimmed), where: `line ${index + 1}` }];
  });
}

/** `npm lodash 4.17.21`, `npm/@types/node/20.11.0`, or `{"system", "name", "version"}`, also below `versionKey`. */
export function readVersionItem(item: unknown): VersionKey | undefined {
  const [, ...words] =
    typeof item !== 'string'
      ? []
      : (/^(\S+)\s+(\S+)\s+(\S+)$/.exec(item) ?? /^([^/\s]+)\/(\S+)\/([^/\s]+)$/.exec(item) ?? []);
  const {
    system: word = words[0],
    name = words[1],
    version = words[2],
  } = fieldsOf(fieldsOf(item)['versionKey'] ?? item);
  const key = keyOf(word, name);
  return key === undefined || typeof version !== 'string' ? undefined : { ...key, version };
}

/** Reads a version as above, or a package: `npm lodash`, or `{"system", "name"}`, also below `packageKey`. */
export function readSubjectItem(item: unknown): Omit<VersionKey, 'version'> | undefined {
  const [, ...words] = typeof item === 'string' ? (/^(\S+)\s+(\S+)$/.exec(item) ?? []) : [];
  const { system: word = words[0], name = words[1] } = fieldsOf(fieldsOf(item)['packageKey'] ?? item);
  return readVersionItem(item) ?? keyOf(word, name);
}

function keyOf(word: unknown, name: unknown): Omit<VersionKey, 'version'> | undefined {
  const system = typeof word === 'string' ? systemOf(word) : undefined;
  return system === undefined || typeof name !== 'string' ? undefined : { system, name };
}

/** The item itself when it is text, or its member of that name. */
export function readTextItem(member: 'purl' | 'id'): (item: unknown) => string | undefined {
  return (item) => {
    if (typeof item === 'string') return item;
    const { [member]: direct, projectKey } = fieldsOf(item);
    const value = direct ?? (member === 'id' ? fieldsOf(projectKey)['id'] : undefined);
    return typeof value === 'string' ? value : undefined;
  };
}

function fieldsOf(item: unknown): Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null ? { ...item } : {};
}

/** A JSON list, or the `requests` of a JSON object; `undefined` for lines, also for lines of JSON. */
function wholeDocument(text: string): readonly unknown[] | undefined {
  const value = jsonOr(text);
  if (Array.isArray(value)) return value;
  const { requests } = fieldsOf(value);
  return Array.isArray(requests) ? requests : undefined;
}

function jsonOr(text: string): unknown {
  // Of what is not one JSON value, lines are read one by one, and unreadable ones are reported with their numbers.
  return /^\s*[[{]/.test(text) ? (jsonValue(text) ?? text) : text;
}
