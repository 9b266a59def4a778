import { conflictIn, LockfileError } from '../errors.ts';
import type { Format, FormatFacts, LockfileInput } from '../format.ts';
import { type ListEntry, plainListFormat } from '../packages/plain-list.ts';
import { gitSource, REGISTRY, urlSource } from '../packages/sources.ts';
import { repositoryName } from './json.ts';

/** A lockfile whose entries are lines or blocks of text. */
interface TextLock extends Pick<Format, 'mayBeEmpty'> {
  readonly ecosystem: string;
  readonly facts: readonly (keyof FormatFacts)[];
  readonly head: RegExp;
  /** This pattern matches at the beginning of each entry. */
  readonly before: RegExp;
  /**
   * An entry with the groups `name` and `version`; or `key`, by which others need it; `owner`, which is before the name; `level`, which is 0
   * for direct dependencies; `address` of a repository, or `url` of an archive, in place of a name; `git` with `commit` in place of a version.
   */
  readonly entry: RegExp;
  /** Parts of the text that are no entries. */
  readonly other: RegExp;
  /** The keys that an entry needs, and its digests. */
  readonly needs?: RegExp;
  readonly digests?: RegExp;
  /** The end of a text that is cut; without it, a bracket that has no end says so. */
  readonly cut?: RegExp;
}

function textFormat(file: string, lock: TextLock): Format {
  const { head, before, entry, other, needs, digests, cut, ...rest } = lock;
  return plainListFormat(file, {
    head,
    ...rest,
    readList(input, builder) {
      const { text, path } = input;
      const conflict = conflictIn(text, path, undefined);
      if (conflict !== undefined) throw conflict;
      const direct = new Set<string>();
      const entries: ListEntry[] = [];
      let line = 1;
      for (const part of text.split(before)) {
        const stated = part.trim();
        const at = line + (part.slice(0, part.length - part.trimStart().length).split('\n').length - 1);
        line += part.split('\n').length - 1;
        const groups = entry.exec(stated)?.groups;
        if (groups !== undefined) {
          const found = entryOf(groups);
          if (groups['level'] === '0') direct.add(found.key ?? found.name);
          entries.push({
            ...found,
            line: at,
            ...(needs && { needs: all(stated, needs) }),
            integrity: all(stated, digests).map((value) => ({ algorithm: 'sha256', value, encoding: 'hex' })),
          });
        } else if (!other.test(stated)) builder.add('is not an entry of a kind that is known', at, stated);
      }
      requireHead(head, input, entries, file);
      const isCut = cut?.test(text) ?? hasOpenBracket(text);
      return { entries, ...(entry.source.includes('<level>') && { direct }), lacks: isCut && 'end' };
    },
  });
}

/** Any text may be a part that is no entry. */
function requireHead(
  head: RegExp,
  { text, path }: LockfileInput,
  entries: readonly ListEntry[],
  file: string,
): void {
  if (entries.length > 0 || text.trim() === '' || head.test(text)) return;
  throw new LockfileError('wrong-format', `${path}: this is not a ${file}`);
}

/** An address without a host is one of GitHub. */
function entryOf(groups: Readonly<Record<string, string | undefined>>): ListEntry {
  const { key, owner, address, git, commit, url, name = key ?? '', version = '' } = groups;
  const place = address?.replace(/^(?!.*:)/, 'https://github.com/') ?? url;
  const own = owner === undefined ? name : `${owner}/${name}`;
  return {
    ...{ key, name: place === undefined ? own : repositoryName(place), version, line: undefined },
    source: git !== undefined ? gitSource(git, commit) : url === undefined ? REGISTRY : urlSource(url),
  };
}

function all(text: string, pattern: RegExp | undefined): string[] {
  return pattern === undefined ? [] : [...text.matchAll(pattern)].map(([, one = '']) => one);
}

/** Brackets in strings do not count. */
function hasOpenBracket(text: string): boolean {
  const brackets = text.replace(/"[^"\n]*"/g, '');
  return brackets.split(/[[{]/).length > brackets.split(/[\]}]/).length;
}

const LINE = /(?<=\n)/;

/** The lockfile of Mix, for Elixir: a line for each package. */
export const mixLock = textFormat('mix.lock', {
  ecosystem: 'hex',
  facts: ['edges', 'integrity', 'lines'],
  head: /^%\{\s*(?:\}|"[\w@]+": \{:(?:hex|git), )/,
  before: LINE,
  entry:
    /^(?:%\{\s*)?"?:?(?<key>[\w@.-]+)"?:? (?:=> )?\{(?::hex, :"?(?<name>[\w@.]+)"?, "(?<version>[^"]*)"(?:.*\], "hexpm:(?<owner>[^"]+)")?|:git, "(?<git>[^"]*)", "(?<commit>[^"]*)")/,
  other: /^(?:%\{)?\}?$/,
  needs: /\{:"?([\w@.]+)"?, "/g,
  digests: /"([0-9a-f]{64})"/g,
});

/** The lockfile of Rebar, for Erlang. */
export const rebarLock = textFormat('rebar.lock', {
  ecosystem: 'hex',
  facts: ['lines'],
  head: /^(?:\{"1\.\d+\.\d+",\s*)?\[(?:\{<<"|\])/,
  before: /(?=\{<<"[^"\n]*">>,\s*\{)/,
  entry:
    /^\{<<"(?<key>[^"]+)">>,\s*\{(?:pkg,\s*<<"(?<name>[^"]+)">>,\s*<<"(?<version>[^"]+)">>[^}]*|(?:git|hg)\w*,\s*"(?<git>[^"]+)",\s*\{ref,\s*"(?<commit>[^"]+)"\}[^}]*)\},\s*(?<level>\d+)\}/,
  other: /^[^<]*$/,
});

/** The lockfile of Carthage, for Swift and Objective-C. */
export const cartfileResolved = textFormat('Cartfile.resolved', {
  ecosystem: 'swift',
  facts: ['lines'],
  head: /^(?:github|git|binary) "[^"\n]+" "[^"\n]+"$/m,
  mayBeEmpty: true,
  before: LINE,
  entry: /^(?:(?:github|git) "(?<address>[^"]+)"|binary "(?<url>[^"]+)") "(?<version>[^"]+)"$/,
  other: /^(?:#.*)?$/,
});

/** The freeze file of Cabal, for Haskell: constraints, of which those with `==` are packages and others are flags. */
export const cabalFreeze = textFormat('cabal.project.freeze', {
  ecosystem: 'hackage',
  facts: ['lines'],
  head: /^constraints: (?:any\.)?[\w-]+ (?:==|[+-])/m,
  before: /(?<=,)|(?=\n[a-z-]+:)/,
  entry: /^(?:constraints:\s*)?(?:any\.)?(?<name>[\w-]+) ==(?<version>[\w.]+),?$/,
  other: /^(?:constraints:\s*)?(?:any\.)?[\w-]+ (?:[+-]|installed)|^(?!constraints:)[a-z-]+:|^$/,
  cut: /,\s*$/,
});

/** The lockfile of Terraform and OpenTofu: a block for each provider. */
export const terraformLock = textFormat('.terraform.lock.hcl', {
  ecosystem: 'terraform',
  facts: ['integrity', 'lines'],
  head: /^(?:provider "[^"\n]+" \{|# This file is maintained automatically by "\w+ init"\.)$/m,
  before: /^(?=provider\s)/m,
  entry:
    /^provider\s+"(?:registry\.terraform\.io\/)?(?<name>[^"\n]+)"[^}\n]*\n\s+version\s*=\s*"(?<version>[^"\n]*)"/,
  other: /^(?!provider)/,
  digests: /"zh:([0-9a-f]{64})"/g,
});
