import { relative, sep } from 'node:path';
import { percentDecoded } from '../model/json-object.ts';
import type { Source, TargetSource } from '../model/watch/source.ts';
import { SourceError } from './errors.ts';
import { matchPaths } from './match-paths.ts';

/** One target of a schedule and where its lockfiles come from. */
interface WatchedSource {
  readonly target: string;
  readonly source: TargetSource;
}

interface Named {
  /** Name of the schedule. */
  readonly name: string;
  readonly source: Source;
  /** Id of the target, or a template for several. */
  readonly target?: string | undefined;
}

const MAX_ID_CHARACTERS = 200;

/** The variables of templates for ids of targets, with the default template of each kind. */
const TEMPLATES: Readonly<
  Record<Source['kind'], { readonly default: string; readonly variables: readonly string[] }>
> = {
  path: { default: '$PATH', variables: ['SCHEDULE', 'PATH', 'NAME'] },
  url: { default: '$HOST/$PATH', variables: ['SCHEDULE', 'HOST', 'PATH', 'NAME'] },
  git: { default: '$PATH', variables: ['SCHEDULE', 'HOST', 'PATH', 'NAME'] },
};

/**
 * The targets of a schedule; paths on this machine are matched now. Throws `SourceError`: `not-found` when nothing matches,
 * `failed` when two targets have the same id.
 */
export async function listTargets(schedule: Named, signal: AbortSignal): Promise<readonly WatchedSource[]> {
  const targets = await targetsOf(schedule, signal);
  const seen = new Set<string>();
  for (const { target } of targets) {
    if (seen.has(target)) {
      throw new SourceError(
        'failed',
        `schedule ${schedule.name}: two of its targets have the id "${target}"; use a template such as $HOST/$PATH`,
      );
    }
    seen.add(target);
  }
  return targets;
}

async function targetsOf(
  { name, source, target }: Named,
  signal: AbortSignal,
): Promise<readonly WatchedSource[]> {
  const idOf = (variables: Readonly<Record<string, string>>) =>
    filled(name, target ?? TEMPLATES[source.kind].default, { SCHEDULE: name, ...variables });
  switch (source.kind) {
    case 'path': {
      const { paths, targets, exclude } = source;
      if (targets === 'all') return [{ target: target ?? name, source: { kind: 'paths', paths, exclude } }];
      const { base, matches } = await matchPaths(paths, signal);
      if (matches.length === 0) {
        throw new SourceError('not-found', `${paths.join(', ')}: nothing matches on this worker`);
      }
      return matches.map((path) => {
        const below = relative(base, path).split(sep).join('/');
        const last = path.split(sep).at(-1) ?? '';
        return { target: idOf({ PATH: below || last, NAME: last }), source: { kind: 'path', path, exclude } };
      });
    }
    case 'url': {
      const { kind, urls, ...settings } = source;
      return urls.map((url) => ({ target: idOf(placeOf(url)), source: { kind, url, ...settings } }));
    }
    case 'git': {
      const { kind, repositories, ref, ...settings } = source;
      return repositories.map(({ url, ref: own = ref, target: id }): WatchedSource => {
        const target = id ?? idOf(placeOf(url));
        return { target, source: { kind, repository: url, ref: own, ...settings } };
      });
    }
  }
}

/** Host, path without `.git`, and the last part of the path. */
function placeOf(address: string): { readonly HOST: string; readonly PATH: string; readonly NAME: string } {
  const url = URL.parse(address);
  const [, host = '', path = ''] = /^(?:[^@/]*@)?([^:/]+):(.*)$/.exec(address) ?? [];
  const isUrl = url !== null && /^(?:https?|ssh):$/.test(url.protocol);
  const [from, whole] = isUrl
    ? [url.host, percentDecoded(url.pathname)]
    : host === ''
      ? ['', address]
      : [host, path];
  const trimmed = whole.replace(/^\/+|(?<!\/)\/+$/g, '').replace(/\.git$/, '');
  return { HOST: from, PATH: trimmed, NAME: trimmed.split('/').at(-1) ?? '' };
}

function filled(schedule: string, template: string, variables: Readonly<Record<string, string>>): string {
  const id = template.replace(/\$([A-Z]+)/g, (text, name: string) => variables[name] ?? text);
  if (id !== '' && id.length <= MAX_ID_CHARACTERS && !/\p{Cc}/u.test(id)) return id;
  throw new SourceError(
    'failed',
    `schedule ${schedule}: ${JSON.stringify(id.slice(0, 250))} cannot be the id of a target: expected 1 to ${MAX_ID_CHARACTERS} printable characters`,
  );
}
