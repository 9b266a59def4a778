import type { Source } from '../../model/scan/lockfile.ts';
import { withoutCredentials } from '../packages/credentials.ts';

const HEADINGS: ReadonlySet<string> = new Set(['GEM', 'GIT', 'PATH', 'PLUGIN SOURCE']);

/** Whether a section lists gems of a source. */
export function isSource(heading: string): boolean {
  return HEADINGS.has(heading);
}

/** Where the gems of a section come from; `own` for the gem whose folder the lockfile stands in. */
export function sourceOf(heading: string, options: ReadonlyMap<string, string>): Source | 'own' {
  const remote = withoutCredentials(options.get('remote') ?? '');
  switch (heading) {
    case 'GIT': {
      const commit = options.get('revision');
      return commit === undefined ? { kind: 'git', url: remote } : { kind: 'git', url: remote, commit };
    }
    case 'PATH':
      return /^\.?\/?$/.test(remote) ? 'own' : { kind: 'path', path: remote };
    case 'GEM':
      return remote === '' ? { kind: 'registry' } : { kind: 'registry', url: remote };
    default:
      return { kind: 'url', url: remote };
  }
}
