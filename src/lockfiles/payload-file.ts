import type { CodedError } from '../model/errors.ts';
import type { UnreadError } from '../model/scan/inventory.ts';

/** Characters that payloads do not allow in paths, from any producer. */
const REFUSED = /[\\\p{Cc}]/gu;
const MAX_PATH_CHARACTERS = 1_024;
const MAX_MESSAGE_CHARACTERS = 4_096;

/** The path of a file in job data. `fault`: the file is reported as unread, because job data cannot hold its path as it is. */
export function payloadPath(path: string): { readonly path: string; readonly fault?: UnreadError } {
  if (path.search(REFUSED) < 0 && path.length <= MAX_PATH_CHARACTERS) return { path };
  const what = `a path with control characters, backslashes or more than ${MAX_PATH_CHARACTERS} characters`;
  return {
    path: path.replace(REFUSED, '\ufffd').slice(-MAX_PATH_CHARACTERS),
    fault: { code: 'unreadable', message: `${JSON.stringify(path.slice(0, 200))}: ${what}; rename it` },
  };
}

/** Why a file is unread, in the form of job data. */
export function unreadError({ code, message }: CodedError): UnreadError {
  return { code, message: message.slice(0, MAX_MESSAGE_CHARACTERS) };
}
