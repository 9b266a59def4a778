import type { Source } from '../../model/lockfile/lockfile.ts';

/** The default registry of an ecosystem. */
export const REGISTRY: Source = { kind: 'registry' };

export function registrySource(url: string | undefined): Source {
  return url === undefined || url === '' ? REGISTRY : { kind: 'registry', url: withoutCredentials(url) };
}

export function gitSource(url: string, commit: string | undefined): Source {
  const clean = withoutCredentials(url);
  return commit === undefined ? { kind: 'git', url: clean } : { kind: 'git', url: clean, commit };
}

/** The source of `https://host/repository?rev=main#<commit>`. */
export function gitSourceWithFragment(location: string): Source {
  const clean = withoutCredentials(location);
  const hash = clean.indexOf('#');
  const url = clean.slice(0, hash < 0 ? undefined : hash).replace(/\?.*$/s, '');
  return gitSource(url, hash < 0 ? undefined : clean.slice(hash + 1));
}

export function urlSource(url: string): Source {
  return { kind: 'url', url: withoutCredentials(url) };
}

/** Whether a path is the folder of the lockfile, where tools list the project itself. */
export function isProjectFolder(path: string): boolean {
  return /^\.?\/?$/.test(path);
}

/**
 * Removes possible secrets from a location, because sources are stored in Redis, reports and alerts. The user name of ssh
 * (`git@`) and harmless query parameters are kept.
 */
export function withoutCredentials(location: string): string {
  const named = location.includes('?') ? withoutSecretParameters(location) : location;
  const at = named.indexOf('@');
  if (at < 0) return named;
  // An `@` in the path begins a scope.
  const path = named.indexOf('/', named.indexOf('://') + 3);
  if (path >= 0 && path < at) return named;
  return named.replace(/^([a-z][a-z0-9.+-]*:\/\/|\/\/)([^/?#]*)@/i, withoutUser);
}

/** Removes secrets from a text with locations anywhere in it, such as a problem that quotes an unreadable entry. */
export function withoutSecrets(text: string): string {
  const named = text.includes('?') ? withoutSecretParameters(text) : text;
  if (!named.includes('@')) return named;
  return named
    .replace(/((?:\b[a-z][a-z0-9.+-]{0,40}:)?\/\/)([^\s/?#"'<>]*)@/gi, withoutUser)
    .replace(DAMAGED, '');
}

/** User and password before a host, where the scheme is damaged. */
const DAMAGED = /(?<![^\s"'/:]|\/\/)[^\s"'/@:]+:[^\s"'/@:]+@(?=[\w.-]+[/:])/g;

function withoutUser(_all: string, start: string, user: string): string {
  return /(?:^|\+)ssh:/i.test(start) ? `${start}${user.replace(/:.*$/s, '')}@` : start;
}

/** `token`, `access_token`, `private_token`, `sig`, `X-Amz-Signature`, `X-Amz-Credential`, `api_key` and the like. */
const SECRET_PARAMETER =
  /([?&])(?:[a-z0-9_.-]{0,60}(?:token|secret|signature|credential|passwd|password|apikey|api[_-]key)|sig|auth|key|pwd)=[^&#\s"'<>]*/gi;

function withoutSecretParameters(location: string): string {
  const left = location.replace(SECRET_PARAMETER, '$1');
  // Removes the separators that are left of `?a=b&token=x&c=d`.
  return left === location
    ? location
    : left.replace(/([?&])&+/g, '$1').replace(/(?<![?&])[?&]+(?=#|\s|"|'|$)/g, '');
}
