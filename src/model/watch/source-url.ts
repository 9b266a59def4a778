/*
 * The only reader of the addresses of sources. What it returns is the form that goes on to git and HTTP, so that a check and a
 * connection never read one text as two addresses. Text that other readers may take for something else is refused.
 */

/** The address of a repository. `address` is the form for git. */
export type RepositoryPlace =
  | { readonly kind: 'http'; readonly address: string; readonly url: URL }
  | ({ readonly kind: 'ssh'; readonly address: string } & SshPlace)
  | { readonly kind: 'file'; readonly address: string };

interface SshPlace {
  readonly host: string;
  readonly user?: string | undefined;
  readonly port?: string | undefined;
}

/** Why an address is refused: what was expected. */
export interface RefusedAddress {
  readonly expected: string;
}

const NO_USER = 'a URL without user name and password: name an entry of `credentials`';
const PLAIN = 'a URL without `\\`, spaces and control characters';
const PLAIN_PATH =
  'a path in one form only: without percent-encoded `/`, `\\`, `%` and control characters, and without `..` before other characters';
const REPOSITORY = 'an https, http or ssh URL, `git@host:path`, or the absolute path of a local repository';
const HOST = 'a host name or an address';

const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
const AMBIGUOUS = /[\\\s\u0000-\u001f\u007f-\u009f]/;
/** `git@host:path`, as git reads it. */
const SCP_LIKE = /^(?:(?<user>[^@/:]*)@)?(?<host>[^@/:]+):(?<path>(?!\/\/|:).+)$/;
const USER = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;

/** Reads an http or https URL. */
export function readHttpUrl(text: string): URL | RefusedAddress {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return { expected: 'an http or https URL' };
  if (AMBIGUOUS.test(text)) return { expected: PLAIN };
  // An empty user name is gone from what the parser returns.
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text)) {
    return { expected: NO_USER };
  }
  // The form without the dot is the same host, and may be the one that a list has.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  return url.hostname === '' || url.hostname.endsWith('.') ? { expected: HOST } : url;
}

/** Reads an http or https URL whose path every server and every pattern reads alike. */
export function readPlainUrl(text: string): URL | RefusedAddress {
  const url = readHttpUrl(text);
  if ('expected' in url) return url;
  if (url.hash !== '') return { expected: 'a URL without a fragment' };
  return url.pathname.split('/').every(isPlainSegment) ? url : { expected: PLAIN_PATH };
}

/** Reads the address of a repository. */
export function readRepositoryAddress(text: string): RepositoryPlace | RefusedAddress {
  if (ABSOLUTE.test(text)) return { kind: 'file', address: text };
  if (AMBIGUOUS.test(text)) return { expected: PLAIN };
  if (/^ssh:\/\//i.test(text)) return readSsh(text);
  if (!/^https?:/i.test(text)) return readScpLike(text);
  const url = readPlainUrl(text);
  if ('expected' in url) return url;
  if (url.search !== '') return { expected: 'a URL without a query' };
  return { kind: 'http', address: url.href, url };
}

function readSsh(text: string): RepositoryPlace | RefusedAddress {
  const [, user, place = '', port, path = ''] =
    /^ssh:\/\/(?:([^@/]*)@)?(\[[^\]/]*\]|[^:@/[\]]*)(?::(\d{1,5}))?(\/.*)$/i.exec(text) ?? [];
  // git decodes the whole text, the host too.
  if (place === '' || text.includes('%')) return { expected: REPOSITORY };
  if (user !== undefined && !USER.test(user)) return { expected: NO_USER };
  const host = hostOf(place);
  if (host === undefined) return { expected: HOST };
  const [owner, end] = [user === undefined ? '' : `${user}@`, port === undefined ? '' : `:${port}`];
  return sshPlace(`ssh://${owner}${host}${end}${path}`, { host, user, port }, path);
}

function readScpLike(text: string): RepositoryPlace | RefusedAddress {
  const { user, host: place = '', path = '' } = SCP_LIKE.exec(text)?.groups ?? {};
  if (place === '') return { expected: REPOSITORY };
  if (user !== undefined && !USER.test(user)) return { expected: REPOSITORY };
  const host = hostOf(place);
  if (host === undefined) return { expected: HOST };
  return sshPlace(`${user === undefined ? '' : `${user}@`}${host}:${path}`, { host, user }, path);
}

/** git and ssh read a path that begins with `-` as an option. */
function sshPlace(address: string, place: SshPlace, path: string): RepositoryPlace | RefusedAddress {
  if (/^\/?-/.test(path)) return { expected: 'a path that does not begin with `-`' };
  return { kind: 'ssh', address, ...place };
}

/** A host in the form of http URLs: lower case, Punycode, addresses in their only notation. */
function hostOf(text: string): string | undefined {
  const url = readHttpUrl(`http://${text}/`);
  if ('expected' in url || url.port !== '' || url.pathname !== '/') return undefined;
  return /^[A-Za-z0-9[]/.test(url.hostname) ? url.hostname : undefined;
}

/** Whether a part of a path has one meaning, however often it is decoded or normalised. */
function isPlainSegment(segment: string): boolean {
  let text: string;
  try {
    text = decodeURIComponent(segment).normalize('NFKC');
  } catch {
    return false;
  }
  // Some servers cut `;…` from a segment, and then read `..;x` as `..`.
  return !AMBIGUOUS.test(text.replaceAll(' ', '')) && !/[/%]/.test(text) && !/^\.{1,2}(?![\w.-])/.test(text);
}
