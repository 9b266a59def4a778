import { PURL_TYPES, systemOf } from '../../model/lockfile/ecosystem.ts';
import { canonicalName } from '../../model/lockfile/spelling.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';

/** Identities that Redis compares in one step, in some milliseconds. */
const COUNT = 5_000;
/** Names that are suggested. */
export const MAX_SIMILAR = 5;

export interface NameQuery {
  /** In any spelling that the ecosystem allows. */
  readonly name: string;
  /** A purl type. Default: any. */
  readonly ecosystem?: string | undefined;
}

/** Finds package versions of the fleet by name. Redis compares the identities; only those that fit are transferred. */
export interface PackageSearch {
  /** Ids by identity. */
  find(query: NameQuery): Promise<ReadonlyMap<string, number>>;
  /** Some names that contain the text, with their ecosystem. */
  similar(query: NameQuery): Promise<readonly string[]>;
}

export function createPackageSearch(redis: RedisClient, keys: Keys): PackageSearch {
  /** Calls `visit` until it returns false. */
  const pass = async (pattern: string, visit: (identity: string, id: number) => boolean): Promise<void> => {
    let cursor = '0';
    do {
      const [next, found] = await redis.hscan(keys.packageIds, cursor, 'MATCH', pattern, 'COUNT', COUNT);
      for (let at = 0; at + 1 < found.length; at += 2) {
        if (!visit(found[at] ?? '', Number.parseInt(found[at + 1] ?? '', 10))) return;
      }
      cursor = next;
    } while (cursor !== '0');
  };
  return {
    async find(query) {
      const found = new Map<string, number>();
      for (const pattern of patternsOf(query)) {
        await pass(pattern, (identity, id) => {
          if (isNamed(identity, query)) found.set(identity, id);
          return true;
        });
      }
      return found;
    },
    async similar({ name, ecosystem }) {
      const names = new Set<string>();
      await pass(`${prefixOf(ecosystem)}:*${globOf(name)}*@*`, (identity) => {
        names.add(nameIn(identity));
        return names.size < MAX_SIMILAR;
      });
      return [...names].sort();
    },
  };
}

/** Patterns for all spellings of the name; `isNamed` decides. */
function patternsOf({ name, ecosystem }: NameQuery): ReadonlySet<string> {
  const prefix = prefixOf(ecosystem);
  const spellings = [name, canonicalName(name, 'PYPI')];
  return new Set(spellings.map((spelling) => `${prefix}:${globOf(spelling)}@*`));
}

/** What the identities of an ecosystem begin with. */
function prefixOf(ecosystem: string | undefined): string {
  if (ecosystem === undefined) return '*';
  return systemOf(ecosystem) ?? globOf(ecosystem);
}

/**
 * A glob of Redis for a text: letters match in both cases, and `-`, `_` and `.` each other. Redis compares bytes, so other characters
 * match anything.
 */
function globOf(text: string): string {
  return Array.from(text, (character) => {
    if (/[a-z]/i.test(character)) return `[${character.toLowerCase()}${character.toUpperCase()}]`;
    if (/[-_.]/.test(character)) return '[-_.]';
    return /[0-9/:@+~]/.test(character) ? character : '*';
  }).join('');
}

/** `name (ecosystem)`. */
export function nameIn(identity: string): string {
  const [prefix, name] = partsOf(identity);
  const ecosystem = PURL_TYPES.find((type) => systemOf(type) === prefix) ?? prefix;
  return `${name} (${ecosystem})`;
}

/** The ecosystem or system of an identity, and the name. */
export function partsOf(identity: string): readonly [prefix: string, name: string] {
  const colon = identity.indexOf(':');
  return [identity.slice(0, colon), identity.slice(colon + 1, identity.lastIndexOf('@'))];
}

/** Whether an identity has the name, in a spelling that its ecosystem takes as the same. */
export function isNamed(identity: string, { name, ecosystem }: NameQuery): boolean {
  const [prefix, own] = partsOf(identity);
  if (ecosystem !== undefined && prefix !== (systemOf(ecosystem) ?? ecosystem)) return false;
  switch (prefix) {
    case 'PYPI':
      return own === canonicalName(name, 'PYPI');
    case 'NPM':
    case 'RUBYGEMS':
    case 'MAVEN':
      return own === name;
    case 'CARGO':
      return own.replaceAll('_', '-') === name.replaceAll('_', '-');
    default:
      // Names of NuGet packages are the same in both cases; purls of Go modules and others are in lower case.
      return own.toLowerCase() === name.toLowerCase();
  }
}
