import type { Source } from '../../model/lockfile/lockfile.ts';
import { withoutCredentials } from './credentials.ts';

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
