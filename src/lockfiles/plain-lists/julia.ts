import type { Source } from '../../model/lockfile/lockfile.ts';
import { type ListEntry, objectsIn, plainListFormat } from '../packages/plain-list.ts';
import { gitSource, REGISTRY } from '../packages/sources.ts';
import { isTable, membersOf, parseToml, type Table, tableIn, textIn, textsIn } from '../syntax/parse-toml.ts';

const HEAD = /^# This file is machine-generated - editing it directly is not advised$/m;

/** The lockfile of Pkg, for Julia. Packages of the standard library have no version before Julia 1.11, and are a part of Julia. */
export const juliaManifest = plainListFormat('Manifest.toml', {
  ecosystem: 'julia',
  facts: ['edges'],
  head: HEAD,
  readList({ text, path }, builder) {
    const root = parseToml(text, path);
    const { manifest_format: format, deps } = root;
    // Version 1 has the packages at the top.
    const packages = membersOf(format === undefined ? root : deps);
    const lists = packages.filter(([, list]) => Array.isArray(list));
    const entries = lists.flatMap(([name, list]) =>
      objectsIn(list, undefined, builder).flatMap(({ value }): ListEntry[] => {
        const [version, folder, digest] = ['version', 'path', 'git-tree-sha1'].map((key) =>
          textIn(value[key]),
        );
        // A folder, or an archive of a registry or a repository; anything else is a part of Julia.
        if (folder === undefined && digest === undefined) return [];
        return [
          {
            name,
            version: version ?? '',
            line: undefined,
            source: sourceOf(value),
            needs: namesIn(value['deps']),
          },
        ];
      }),
    );
    if (format !== undefined) return { entries, lacks: !isTable(deps) && 'table `deps`' };
    return {
      entries,
      lacks: lists.length === 0 && !HEAD.test(text) && 'package, and no line that Pkg writes',
    };
  },
});

/** A list of names, or a table of names and identifiers where names are ambiguous. */
function namesIn(deps: unknown): readonly string[] {
  return Array.isArray(deps) ? textsIn(deps) : Object.keys(tableIn(deps));
}

function sourceOf(value: Table): Source {
  const [path, url, commit] = ['path', 'repo-url', 'repo-rev'].map((key) => textIn(value[key]));
  if (path !== undefined) return { kind: 'path', path };
  return url === undefined ? REGISTRY : gitSource(url, commit);
}
