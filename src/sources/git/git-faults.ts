import { SourceError, type SourceErrorCode } from '../errors.ts';

/** What `git` and the servers that it talks to write, in the order in which it is looked for. */
const FAULTS: readonly (readonly [RegExp, SourceErrorCode, string])[] = [
  [
    /out of memory|unable to (?:create thread|mmap)|cannot allocate memory/i,
    'too-large',
    'git would need too much memory for what its server sends',
  ],
  [
    /unable to update url base from redirection|requested url returned error: 3\d\d/i,
    'redirected',
    'the URL redirects; name the URL to which it leads',
  ],
  [
    /authentication failed|could not read (?:username|password)|terminal prompts disabled|returned error: 40[13]|permission denied|access denied|host key verification failed/i,
    'refused',
    'the credentials are refused, or none are given; many servers answer so for what does not exist',
  ],
  [
    /returned error: 4(?:04|10)|does not appear to be a git repository|does not exist|no such file or directory|not found/i,
    'not-found',
    'there is no such repository',
  ],
  [/couldn't find remote ref/i, 'no-such-ref', 'the ref no longer exists'],
  [/transport '[^']*' not allowed/i, 'failed', 'its transport is not allowed'],
  [
    /could not resolve host|connection (?:refused|reset|timed out)|failed to connect|operation (?:too slow|timed out)|early eof|rpc failed|returned error: (?:408|429|5\d\d)|unexpected disconnect|hung up|network is unreachable|no route to host/i,
    'unreachable',
    'its server does not answer',
  ],
];

const RETRYABLE: ReadonlySet<SourceErrorCode> = new Set(['unreachable', 'failed']);
const MAX_QUOTED = 300;

/** The error for a failed `git`, from what it wrote to standard error. */
export function faultOf(what: string, output: string): SourceError {
  const [, code = 'failed', meaning = 'git failed'] = FAULTS.find(([pattern]) => pattern.test(output)) ?? [];
  const quoted = quotedLines(output);
  return new SourceError(code, `${what}: ${meaning}${quoted === '' ? '' : ` (${quoted})`}`, {
    retryable: RETRYABLE.has(code),
  });
}

function quotedLines(output: string): string {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => /^(?:fatal|error|remote|ssh):/.test(line));
  return lines.slice(0, 3).join('; ').slice(0, MAX_QUOTED);
}
