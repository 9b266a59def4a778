import { z } from 'zod';
import { SYSTEMS, type System } from '../lockfile/ecosystem.ts';
import type { ValueOf } from '../stored/kind.ts';

const SYSTEM_OF = {
  npm: 'NPM',
  PyPI: 'PYPI',
  Maven: 'MAVEN',
  NuGet: 'NUGET',
  Go: 'GO',
  'crates.io': 'CARGO',
  RubyGems: 'RUBYGEMS',
  Packagist: 'PACKAGIST',
  Pub: 'PUB',
  Hex: 'HEX',
  SwiftURL: 'SWIFTURL',
} as const satisfies Record<string, System>;

type OsvEcosystem = keyof typeof SYSTEM_OF;

/** OSV's names of the ecosystems whose packages are looked up. A suffix (`Maven:<repository>`) names another registry. */
export const OSV_ECOSYSTEMS = Object.keys(SYSTEM_OF) as readonly OsvEcosystem[];

/** The system of an ecosystem of OSV; `undefined` for those whose packages are not looked up. */
export function osvSystem(ecosystem: string): System | undefined {
  return Object.hasOwn(SYSTEM_OF, ecosystem) ? SYSTEM_OF[ecosystem as OsvEcosystem] : undefined;
}

/** Bounds of a range in the order of versions. `0` is before every version. */
export type RangeEvent = ValueOf<typeof eventSchema>;

const eventSchema = z.tuple([z.enum(['introduced', 'fixed', 'last_affected', 'limit']), z.string()]);

/** The versions of a package that an advisory affects: those listed, and those in one of the ranges. */
export type AffectedPackage = ValueOf<typeof affectedSchema>;
export type Affected = Pick<AffectedPackage, 'versions' | 'ranges' | 'unread'>;

const affectedSchema = z.object({
  system: z.enum(SYSTEMS),
  /** As `storedName` spells it. */
  name: z.string(),
  versions: z.array(z.string()),
  ranges: z.array(z.array(eventSchema)),
  /** Set when it has a range that cannot be read, or no versions at all: it may affect any other version. */
  unread: z.literal(true).exactOptional(),
});

/** An advisory in the OSV format (schema 1.x), as far as it is stored. */
export type OsvRecord = ValueOf<typeof osvRecordSchema>;

export const osvRecordSchema = z.object({
  id: z.string(),
  /** RFC 3339; the year 1 where a publisher does not know it. */
  modified: z.string(),
  /** RFC 3339. */
  published: z.string().exactOptional(),
  /** RFC 3339: the advisory affects nothing since. */
  withdrawn: z.string().exactOptional(),
  title: z.string(),
  aliases: z.array(z.string()),
  /** CVSS vector. */
  vector: z.string().exactOptional(),
  /** The affected packages of ecosystems that are looked up. */
  affected: z.array(affectedSchema),
});

/** How far the list of changed advisories of an ecosystem was read. */
export type FeedPosition = ValueOf<typeof feedPositionSchema>;

export const feedPositionSchema = z.object({
  /** RFC 3339: all changes before it are read. */
  until: z.string(),
  /** RFC 3339: when the list was read last, also without a change. */
  readAt: z.string(),
  /** The ETag of the list that was read; absent when the list has more changes. */
  etag: z.string().exactOptional(),
  /** The times of the changes that were read last, by advisory: their order in the list may change. */
  recent: z.record(z.string(), z.string()),
  /** Changes whose records could not be read yet, with the time since when they are requested. */
  open: z.record(z.string(), z.string()),
  /** The fault of the list that was read. A list without a fault has none. */
  fault: z.string().exactOptional(),
});

/** A time in a record or a list that is later than this from now is wrong. */
export const MAX_AHEAD_MS = 24 * 3_600_000;
