import { posix } from 'node:path';
import { messageOf } from '../../model/errors.ts';
import type { Exception } from '../../model/scan/exception.ts';
import { LockfileError } from '../errors.ts';
import type { Companion } from '../format.ts';
import { decodeText } from '../syntax/decode-text.ts';
import { exceptionFile } from './catalog.ts';
import { type ExceptionReader, entryFinder, shown, type Tree } from './text-file.ts';

/** Exceptions of one file that are read. More are an entry of their own, which says so. */
const MAX_ENTRIES = 2_000;
const MAX_BYTES = 1_048_576;

/**
 * The exceptions in a companion of a lockfile. `path`: below the root of the target; each exception has it. One that cannot be read, or has too
 * many, is an exception of the kind `unread`, which says why.
 */
export async function readExceptions(path: string, file: Companion): Promise<readonly Exception[]> {
  const { name, content } = file;
  const reader = exceptionFile(name)?.reader;
  const unread = (why: string): Exception => {
    return { kind: 'unread', path, setting: '', subject: posix.basename(path), reason: shown(why) };
  };
  if (content === undefined) return [unread(file.error.message)];
  if (content.length > MAX_BYTES) return [unread(`larger than ${MAX_BYTES} bytes`)];
  try {
    const text = decodeText(content, path);
    if (reader === undefined || text.trim() === '') return [];
    const read = typeof reader === 'function' ? await reader() : await treeReader(reader, text);
    const found = read({ path, text });
    const kept = found.slice(0, MAX_ENTRIES).map((one): Exception => ({ path, ...one }));
    const rest = found.length - kept.length;
    return rest === 0 ? kept : [...kept, unread(`${rest} more exceptions than are read`)];
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    return [unread(messageOf(error))];
  }
}

/** Most manifests of npm have no exceptions, and nothing more is loaded for them. */
async function treeReader({ syntax, ecosystem, rules }: Tree, text: string): Promise<ExceptionReader> {
  const isSettled = syntax === 'json' && text.trimEnd().endsWith('}');
  if (isSettled && !rules.some(([, , at]) => text.includes(`"${at.split('.', 1)[0]}"`))) return () => [];
  const { parseTree, settingsIn } = await import('./settings.ts');
  const finder = entryFinder(text, syntax === 'json' ? 'none' : '#');
  return (file) => settingsIn(parseTree(syntax, file), rules, ecosystem, finder);
}
