import type { Source } from '../../model/scan/lockfile.ts';
import { withoutCredentials } from '../packages/credentials.ts';

/** Cargo's `source`: `registry+<index>`, `sparse+<index>`, `git+<url>?branch=…#<commit>` or `path+file://…`. */
export function sourceOf(stated: string): Source {
  const source = withoutCredentials(stated);
  if (source.startsWith('git+')) {
    const hash = source.indexOf('#');
    const url = source.slice(4, hash < 0 ? undefined : hash).replace(/\?.*$/, '');
    return hash < 0 ? { kind: 'git', url } : { kind: 'git', url, commit: source.slice(hash + 1) };
  }
  if (source.startsWith('path+')) return { kind: 'path', path: source.slice(5) };
  return { kind: 'registry', url: source.replace(/^(?:registry|sparse)\+/, '') };
}
