import type { Source } from '../../model/scan/lockfile.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import type { Directive } from './directives.ts';

interface Module {
  readonly path: string;
  readonly version: string;
  readonly line: number | undefined;
}

/** Returns the replacement of a module with its line, or the module itself. `source` is set where that is a folder. */
export type Replace = (required: Module) => Module & { readonly source?: Source };

/** Reads `replace` directives: `old [version] => new version` or `old [version] => ./folder`. */
export function replacerOf(directives: readonly Directive[], builder: LockfileBuilder): Replace {
  const replacements = new Map<string, Module>();
  for (const { words, line } of directives) {
    const arrow = words.indexOf('=>');
    const [old, oldVersion] = words.slice(0, Math.max(arrow, 0));
    const [path, version = ''] = words.slice(arrow + 1);
    if (old === undefined || path === undefined || (version === '' && !isFolder(path))) {
      builder.problem(line, `"${words.join(' ').slice(0, 200)}" is not a replacement`);
      continue;
    }
    replacements.set(keyOf(old, oldVersion), { path, version, line });
  }
  return (required) => {
    const { path, version } = required;
    const found = replacements.get(keyOf(path, version)) ?? replacements.get(keyOf(path, undefined));
    if (found === undefined) return required;
    return isFolder(found.path)
      ? { path, version, line: found.line, source: { kind: 'path', path: found.path } }
      : found;
  };
}

function keyOf(path: string, version: string | undefined): string {
  return `${path}@${version ?? ''}`;
}

/** Go recognises folders by these prefixes. */
function isFolder(path: string): boolean {
  return /^(?:\.{1,2}(?:[/\\]|$)|\/|[A-Za-z]:[/\\])/.test(path);
}
