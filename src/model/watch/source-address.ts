import type { TargetSource } from './source.ts';

/** The address of a source for people: never with credentials. */
export function addressOf(source: TargetSource): string {
  switch (source.kind) {
    case 'path':
      return source.path;
    case 'paths':
      return source.paths.join(', ');
    case 'url':
      return withoutQuery(source.url);
    case 'git':
      return source.repository;
  }
}

/** A query may hold a token. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
