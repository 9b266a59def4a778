import { readFileSync } from 'node:fs';
import { MAX_INPUT_BYTES, readTextSync } from '../../files/read-file.ts';
import type { VersionKey } from '../../model/scan/version-key.ts';
import { unreadable } from '../errors.ts';
import { systemOf } from './arguments.ts';

/** One request of a batch file, or why a line of it is none. */
export type Line<Request> =
  | { readonly request: Request; readonly problem?: never }
  | { readonly problem: string; readonly request?: never };

/**
 * Reads a batch file (`-`: standard input): a JSON list, a JSON object with `requests`, or lines, each of them text or
 * JSON; empty ones and those that begin with `#` are skipped. Throws `CommandError` when the file cannot be read.
 */
export function readLines<Request>(
  file: string,
  read: (item: unknown) => Request | undefined,
): readonly Line<Request>[] {
  const text = readInput(file);
  const whole = wholeDocument(text);
  const items =
    whole?.map((item, index) => ({ item, where: `entry ${index + 1}` })) ??
    text.split(/\r?\n/).flatMap((line, index) => {
      const trimmed = line.trim();
      return trimmed === '' || trimmed.startsWith('#')
        ? []
        : [{ item: jsonOr(trimmed), where: `line ${index + 1}` }];
    });
  return items.map(({ item, where }) => {
    const request = read(item);
    if (request !== undefined) return { request };
    return {
      problem: `${file === '-' ? 'standard input' : file}, ${where}: ${JSON.stringify(item).slice(0, 120)}`,
    };
  });
}

function readInput(file: string): string {
  try {
    return file === '-' ? readFileSync(0, 'utf8') : readTextSync(file, MAX_INPUT_BYTES);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** `npm lodash 4.17.21`, `npm/@types/node/20.11.0`, or `{"system", "name", "version"}`, also below `versionKey`. */
export function readVersionLine(item: unknown): VersionKey | undefined {
  if (typeof item !== 'string') return readVersionObject(item);
  const [, word = '', name = '', version = ''] =
    /^(\S+)\s+(\S+)\s+(\S+)$/.exec(item) ?? /^([^/\s]+)\/(\S+)\/([^/\s]+)$/.exec(item) ?? [];
  const system = systemOf(word);
  return system === undefined ? undefined : { system, name, version };
}

/** The text itself, or the member of that name. */
export function readTextLine(member: 'purl' | 'id'): (item: unknown) => string | undefined {
  return (item) => {
    if (typeof item === 'string') return item;
    const { [member]: direct, projectKey } = fieldsOf(item);
    const value = direct ?? (member === 'id' ? fieldsOf(projectKey)['id'] : undefined);
    return typeof value === 'string' ? value : undefined;
  };
}

function readVersionObject(item: unknown): VersionKey | undefined {
  const fields = fieldsOf(item);
  const { system: word, name, version } = fieldsOf(fields['versionKey'] ?? item);
  if (typeof word !== 'string' || typeof name !== 'string' || typeof version !== 'string') return undefined;
  const system = systemOf(word);
  return system === undefined ? undefined : { system, name, version };
}

function fieldsOf(item: unknown): Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null ? { ...item } : {};
}

/** A list, or the `requests` of an object that spans lines; lines of JSON are not one document. */
function wholeDocument(text: string): readonly unknown[] | undefined {
  const value = jsonOr(text);
  if (Array.isArray(value)) return value;
  const { requests } = fieldsOf(value);
  return Array.isArray(requests) ? requests : undefined;
}

function jsonOr(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    // Not one JSON value; a line that cannot be read is told with its number.
    return text;
  }
}
