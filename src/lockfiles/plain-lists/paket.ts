import type { Source } from '../../model/lockfile/lockfile.ts';
import type { LockfileInput } from '../format.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { type ListEntry, plainListFormat } from '../packages/plain-list.ts';
import { gitSource, registrySource, urlSource } from '../packages/sources.ts';
import { readCompanion } from '../syntax/decode-text.ts';
import { readSections, type Section } from '../syntax/indented-sections.ts';
import { repositoryName } from './json.ts';

const MANIFEST = 'paket.dependencies';
const ENTRY = /^([^\s()]+)?\s*(?:\(([^()]*)\))?/;

/** The lockfile of Paket, for .NET. Groups have packages of their own; `Main` has those outside of a group. */
export const paketLock = plainListFormat('paket.lock', {
  ecosystem: 'nuget',
  companions: [MANIFEST],
  facts: ['edges', 'groups', 'lines'],
  head: /^NUGET\n {2}remote: /m,
  readList(input, builder) {
    let group = 'main';
    const entries: ListEntry[] = [];
    for (const section of readSections(input.text, input.path)) {
      const [, named] = /^GROUP (.+)$/.exec(section.heading) ?? [];
      if (named !== undefined) group = named.trim().toLowerCase();
      else if (Object.hasOwn(HOSTS, section.heading)) entries.push(...entriesOf(section, group, builder));
      else if (!/^[A-Z_-]+: /.test(section.heading))
        builder.problem(
          section.line,
          `${JSON.stringify(section.heading.slice(0, 200))} is not a section of a paket.lock`,
        );
    }
    return { entries, direct: directIn(input) };
  },
});

/** The sections with packages, and the hosts of their remotes. */
const HOSTS: Readonly<Record<string, string>> = {
  ...{ NUGET: '', GIT: '', HTTP: '' },
  ...{ GITHUB: 'https://github.com/', GIST: 'https://gist.github.com/' },
};
/** Indentation of options, and of what an entry needs. Entries are between them. */
const [OPTION, NEED] = [2, 6];

function entriesOf(
  { heading, lines }: Section,
  group: string,
  builder: LockfileBuilder,
): readonly ListEntry[] {
  const entries: (ListEntry & { readonly needs: string[] })[] = [];
  let remote = '';
  for (const { text, line, indent } of lines) {
    const [, name = '', stated] = ENTRY.exec(text) ?? [];
    const key = `${group}/${name.toLowerCase()}`;
    if (indent <= OPTION) remote = /^remote: (.*)$/.exec(text)?.[1] ?? remote;
    else if (indent >= NEED) entries.at(-1)?.needs.push(key);
    else if (heading === 'NUGET' && stated === undefined) builder.add('is not `name (version)`', line, text);
    else {
      const own = { line, key, groups: group === 'main' ? [] : [group], needs: [] };
      entries.push({ ...entryOf(heading, remote, name, stated ?? ''), ...own });
    }
  }
  return entries;
}

/** An entry that no feed of NuGet has is an archive, or a repository with files of it. */
function entryOf(
  heading: string,
  remote: string,
  name: string,
  stated: string,
): Pick<ListEntry, 'ecosystem' | 'name' | 'version' | 'source'> {
  if (heading === 'NUGET') return { name, version: threeParts(stated), source: nugetSource(remote) };
  const url = `${HOSTS[heading] ?? ''}${remote}${heading === 'HTTP' ? stated : ''}`;
  const source = heading === 'HTTP' ? urlSource(url) : gitSource(url, stated);
  return { ecosystem: 'generic', name: repositoryName(url), version: '', source };
}

/** Paket leaves out zeros at the end; NuGet has three parts at least. */
function threeParts(version: string): string {
  return version.replace(/^\d+(?:\.\d+)?(?![\d.])/, (stated) =>
    stated.includes('.') ? `${stated}.0` : `${stated}.0.0`,
  );
}

function nugetSource(remote: string): Source {
  return remote.includes('://') ? registrySource(remote) : { kind: 'path', path: remote };
}

/** The keys of the packages that the manifest names. */
function directIn(input: LockfileInput): ReadonlySet<string> | undefined {
  return readCompanion(input, MANIFEST, (text) => {
    let group = 'main';
    const found = new Set<string>();
    for (const line of text.split('\n')) {
      const [, what, name = ''] = /^\s*(group|nuget|clitool)\s+(\S+)/i.exec(line) ?? [];
      if (what?.toLowerCase() === 'group') group = name.toLowerCase();
      else if (what !== undefined) found.add(`${group}/${name.toLowerCase()}`);
    }
    return found;
  });
}
