import type { Source } from '../../model/scan/lockfile.ts';
import { withoutCredentials } from '../packages/credentials.ts';
import { isTable, textIn } from '../syntax/parse-toml.ts';

/** Whether an entry is the target itself: a virtual project, the root, or a workspace member. */
export function isOwn(source: unknown, isMember: boolean): boolean {
  if (!isTable(source)) return false;
  if (source['virtual'] !== undefined) return true;
  const path = textIn(source['editable']) ?? textIn(source['directory']);
  return path !== undefined && (isMember || path === '.');
}

/** uv's `source`, one of `registry`, `git`, `url`, `path`, `directory` and `editable`. */
export function sourceOf(stated: unknown): Source {
  if (!isTable(stated)) return { kind: 'registry' };
  const git = textIn(stated['git']);
  if (git !== undefined) return gitSource(withoutCredentials(git));
  const url = textIn(stated['url']);
  if (url !== undefined) return { kind: 'url', url: withoutCredentials(url) };
  const path = textIn(stated['path']) ?? textIn(stated['directory']) ?? textIn(stated['editable']);
  if (path !== undefined) return { kind: 'path', path };
  const registry = textIn(stated['registry']);
  if (registry === undefined) return { kind: 'registry' };
  return /^[a-z]+:\/\//i.test(registry)
    ? { kind: 'registry', url: withoutCredentials(registry) }
    : { kind: 'path', path: registry };
}

/** `https://host/repository?rev=main#<commit>`. */
function gitSource(stated: string): Source {
  const hash = stated.indexOf('#');
  const url = stated.slice(0, hash < 0 ? undefined : hash).replace(/\?.*$/, '');
  return hash < 0 ? { kind: 'git', url } : { kind: 'git', url, commit: stated.slice(hash + 1) };
}
