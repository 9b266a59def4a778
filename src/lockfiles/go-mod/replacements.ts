import type { Source } from '../../model/scan/lockfile.ts';
import type { Directive } from './directives.ts';

interface Module {
  readonly path: string;
  readonly version: string;
  readonly line: number | undefined;
}

export interface ReplacedModule extends Module {
  /** Where it is a folder. */
  readonly source?: Source;
}

/**
 * Reads `replace` lines: `old [version] => new version` or `old [version] => ./folder`. The result gives what a module is
 * replaced by, standing where the replacement does, or the module itself.
 */
export function replacerOf(
  directives: readonly Directive[],
  report: (line: number, message: string) => void,
): (required: Module) => ReplacedModule {
  const replacements = new Map<string, Module>();
  for (const { words, line } of directives) {
    const arrow = words.indexOf('=>');
    const [old, oldVersion] = words.slice(0, Math.max(arrow, 0));
    const [path, version = ''] = words.slice(arrow + 1);
    if (old === undefined || path === undefined || (version === '' && !isFolder(path))) {
      report(line, `"${words.join(' ').slice(0, 200)}" is no replacement`);
      continue;
    }
    replacements.set(keyOf(old, oldVersion), { path, version, line });
  }
  return (required) => {
    const { path, version } = required;
    const found = replacements.get(keyOf(path, version)) ?? replacements.get(keyOf(path, undefined));
    if (found === undefined) return required;
    // A folder has no name but that of the module in it.
    return isFolder(found.path)
      ? { path, version, line: found.line, source: { kind: 'path', path: found.path } }
      : found;
  };
}

function keyOf(path: string, version: string | undefined): string {
  return `${path}@${version ?? ''}`;
}

/** Go takes for a folder what begins so, and nothing else. */
function isFolder(path: string): boolean {
  return /^(?:\.{1,2}(?:[/\\]|$)|\/|[A-Za-z]:[/\\])/.test(path);
}
