import type { Integrity, Source } from '../../model/lockfile/lockfile.ts';
import type { Format, LockfileInput } from '../format.ts';
import { CUT, draftPackage, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import { indexByName } from '../packages/name-index.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import {
  gitSource,
  isProjectFolder,
  registrySource,
  urlSource,
  withoutCredentials,
} from '../packages/sources.ts';
import { type IndentedLine, readSections, type Section } from '../syntax/indented-sections.ts';

/** Bundler's lockfile, under both of its names. */
export const gemfileLock: Format = {
  name: 'gemfile-lock',
  title: 'Gemfile.lock, gems.locked (Bundler 1 to 4)',
  ecosystem: 'gem',
  fileNames: ['Gemfile.lock', 'gems.locked', '*.gemfile.lock'],
  facts: { edges: true, groups: false, integrity: true, lines: true },
  conditions: { integrity: 'where stated' },
  recognises: (head) => /^(?:GEM|GIT|PATH|PLUGIN SOURCE)\r?\n {2}remote: /m.test(head),
  read: readGems,
};

/** A gem with the names of its dependencies. It has no draft when it is the target's own or cannot be read. */
interface Gem {
  readonly own: boolean;
  readonly draft: PackageDraft | undefined;
  readonly needs: string[];
}

/** `name (version)`, or `name (version-platform)` for a gem built for a platform. */
const SPEC = /^(\S+) \(([^()\s-]+)(?:-([^()]+))?\)$/;
const NAME = /^([^\s(!]+)/;
const CHECKSUM = /^(\S+) \(([^()]+)\)\s+(\S.*)$/s;
const SOURCES: ReadonlySet<string> = new Set(['GEM', 'GIT', 'PATH', 'PLUGIN SOURCE']);
const OTHER_SECTIONS: ReadonlySet<string> = new Set([
  ...['PLATFORMS', 'DEPENDENCIES', 'CHECKSUMS', 'RUBY VERSION', 'BUNDLED WITH'],
]);
/** Indentation of the options of a source, of its gems, and of their dependencies. */
const [OPTION, GEM, DEPENDENCY] = [2, 4, 6];

function readGems({ text, path }: LockfileInput, builder: LockfileBuilder): void {
  const sections = readSections(text, path);
  for (const { heading, line } of sections) {
    if (SOURCES.has(heading) || OTHER_SECTIONS.has(heading)) continue;
    builder.problem(line, `${JSON.stringify(heading.slice(0, 200))} is not a section of a Gemfile.lock`);
  }
  const has = (wanted: (heading: string) => boolean) => sections.some(({ heading }) => wanted(heading));
  if (has((heading) => SOURCES.has(heading)) && !has((heading) => heading === 'DEPENDENCIES'))
    builder.problem(undefined, `it has no DEPENDENCIES: ${CUT}`);
  const checksums = checksumsIn(linesOf(sections, 'CHECKSUMS'));
  const gems = sections
    .filter(({ heading }) => SOURCES.has(heading))
    .flatMap((section) => gemsOf(section, checksums, builder));
  const find = indexByName(
    gems.flatMap(({ draft }) => draft ?? []),
    ({ name }) => name,
    builder,
  );
  for (const { draft, needs, own } of gems) {
    const needed = needs.flatMap(find);
    if (draft !== undefined) connect(draft, [...new Set(needed.map(({ id }) => id))]);
    if (own) for (const one of needed) one.direct = true;
  }
  for (const { text: stated } of linesOf(sections, 'DEPENDENCIES')) {
    for (const draft of find(NAME.exec(stated)?.[1] ?? '')) draft.direct = true;
  }
}

function linesOf(sections: readonly Section[], heading: string): readonly IndentedLine[] {
  return sections.filter((section) => section.heading === heading).flatMap(({ lines }) => lines);
}

function gemsOf(
  { heading, lines }: Section,
  checksums: ReadonlyMap<string, readonly Integrity[]>,
  builder: LockfileBuilder,
): readonly Gem[] {
  const options = new Map<string, string>();
  const gems: Gem[] = [];
  for (const { line, indent, text } of lines) {
    if (indent <= OPTION) {
      const colon = text.indexOf(':');
      const option = text.slice(0, colon);
      const value = text.slice(colon + 1).trim();
      // With several remotes in one section, a gem is from one of them.
      const remotes = option === 'remote' ? options.get(option) : undefined;
      options.set(option, remotes === undefined ? value : `${remotes} ${value}`);
    } else if (indent === DEPENDENCY) gems.at(-1)?.needs.push(NAME.exec(text)?.[1] ?? '');
    else if (indent === GEM)
      gems.push(readGem(text, line, { source: sourceOf(heading, options), checksums, builder }));
    else builder.problem(line, `"${text.slice(0, 200)}" has an indentation that a Gemfile.lock does not use`);
  }
  return gems;
}

function readGem(
  text: string,
  line: number,
  context: {
    readonly source: Source | 'own';
    readonly checksums: ReadonlyMap<string, readonly Integrity[]>;
    readonly builder: LockfileBuilder;
  },
): Gem {
  const { source, checksums, builder } = context;
  const [, name, version = '', platform] = SPEC.exec(text) ?? [];
  if (name === undefined) {
    builder.problem(line, `"${text.slice(0, 200)}" is not \`name (version)\``);
    return { own: false, draft: undefined, needs: [] };
  }
  if (source === 'own') return { own: true, draft: undefined, needs: [] };
  const full = platform === undefined ? version : `${version}-${platform}`;
  const draft = draftPackage({
    ecosystem: 'gem',
    name,
    version,
    source,
    line,
    direct: false,
    integrity: checksums.get(`${name} ${full}`) ?? [],
  });
  return { own: false, draft: builder.add(draft, line, name), needs: [] };
}

/** The source of the gems of a section; `own` for the gem in the folder of the lockfile. */
function sourceOf(heading: string, options: ReadonlyMap<string, string>): Source | 'own' {
  const remote = options.get('remote') ?? '';
  switch (heading) {
    case 'GIT':
      return gitSource(remote, options.get('revision'));
    case 'PATH':
      return isProjectFolder(remote) ? 'own' : { kind: 'path', path: withoutCredentials(remote) };
    case 'GEM':
      return registrySource(remote.split(' ').map(withoutCredentials).join(' '));
    default:
      return urlSource(remote);
  }
}

function checksumsIn(lines: readonly IndentedLine[]): ReadonlyMap<string, readonly Integrity[]> {
  const found = new Map<string, readonly Integrity[]>();
  for (const { text } of lines) {
    const [, name, version, digests] = CHECKSUM.exec(text) ?? [];
    if (name === undefined || digests === undefined) continue;
    const integrity = digests.split(',').flatMap((one): readonly Integrity[] => {
      const [algorithm = '', value] = one.trim().split('=');
      return value === undefined ? [] : [{ algorithm: algorithm.toLowerCase(), value, encoding: 'hex' }];
    });
    found.set(`${name} ${version}`, integrity);
  }
  return found;
}
