import { z } from 'zod';
import type { AffectedPackage, OsvRecord, RangeEvent } from '../model/advisories/osv-record.ts';
import { osvSystem } from '../model/advisories/osv-record.ts';
import { defined } from '../model/defined.ts';
import { type System, storedName } from '../model/lockfile/ecosystem.ts';
import { schemeOf } from '../versions/scheme.ts';
import { type AdvisoryText, readAdvisoryText } from './advisory-text.ts';

/** Vectors by preference: version 3 is the one that the package-insights API states. */
const VECTORS = ['CVSS_V3', 'CVSS_V4', 'CVSS_V2'];

/** A record with its text, which no worker needs. */
export interface WholeRecord extends OsvRecord {
  readonly said?: AdvisoryText;
}

export interface ReadRecord extends WholeRecord {
  /** Parts that cannot be used, each in a few words. */
  readonly problems: readonly string[];
}

const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)), { error: 'not a time (RFC 3339)' });

const eventSchema = z.record(z.string(), z.string());

const recordSchema = z.object({
  id: z.string().regex(/^[A-Za-z0-9][\w.:+-]{0,127}$/, { error: 'not an identifier' }),
  modified: time,
  published: time.optional(),
  withdrawn: time.optional(),
  summary: z.string().optional(),
  details: z.string().optional(),
  aliases: z.array(z.string()).nullish(),
  severity: z.array(z.object({ type: z.string(), score: z.string() })).nullish(),
  affected: z
    .array(
      z.object({
        package: z.object({ ecosystem: z.string(), name: z.string().min(1) }).nullish(),
        ranges: z.array(z.object({ type: z.string(), events: z.array(eventSchema) })).nullish(),
        versions: z.array(z.string()).nullish(),
        severity: z.array(z.object({ type: z.string(), score: z.string() })).nullish(),
      }),
    )
    .nullish(),
});

type Given = z.infer<typeof recordSchema>;
type GivenAffected = NonNullable<Given['affected']>[number];

const MAX_TITLE = 300;

/** Reads a record. Throws an `Error` that says why it is not one. */
export function readOsvRecord(value: unknown): ReadRecord {
  const parsed = recordSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join('.') || 'record'}: ${issue?.message}`);
  }
  const { id, modified, summary = '', details = '', aliases, affected, severity } = parsed.data;
  const { published, withdrawn } = parsed.data;
  const problems: string[] = [];
  const [firstLine = ''] = details.trim().split('\n', 1);
  const vector = vectorOf([...(severity ?? []), ...(affected ?? []).flatMap((one) => one.severity ?? [])]);
  return {
    id,
    modified,
    ...defined({ published, withdrawn, vector, said: readAdvisoryText(value) }),
    title: (summary.trim() || firstLine || id).slice(0, MAX_TITLE),
    aliases: [...new Set(aliases ?? [])].filter((alias) => alias !== id),
    affected: (affected ?? []).flatMap((one) => affectedOf(one, problems)),
    problems,
  };
}

function vectorOf(stated: readonly { readonly type: string; readonly score: string }[]): string | undefined {
  return VECTORS.flatMap((type) => stated.filter((one) => one.type === type))[0]?.score;
}

/** Empty for a package of another ecosystem. */
function affectedOf(
  { package: named, ranges, versions }: GivenAffected,
  problems: string[],
): readonly AffectedPackage[] {
  const system = osvSystem(named?.ecosystem ?? '');
  if (named === undefined || named === null || system === undefined) return [];
  const listed = [...new Set(versions ?? [])];
  // Ranges of commits say nothing about versions.
  const read = (ranges ?? [])
    .filter(({ type }) => type !== 'GIT')
    .map(({ type, events }) => (RANGE_TYPES.has(type) ? sortedEvents(events, system) : undefined));
  const sorted = read.filter((range) => range !== undefined);
  const isUnread = sorted.length < read.length || (listed.length === 0 && read.length === 0);
  if (isUnread) problems.push(`${named.name}: versions that cannot be read`);
  const unread = isUnread ? { unread: true as const } : {};
  return [{ system, name: storedName(system, named.name), versions: listed, ranges: sorted, ...unread }];
}

const RANGE_TYPES: ReadonlySet<string> = new Set(['SEMVER', 'ECOSYSTEM']);
const KINDS = ['last_affected', 'fixed', 'limit', 'introduced'] as const;

/** `undefined` when an event is not one, or names no version of the ecosystem. */
function sortedEvents(
  events: readonly Readonly<Record<string, string>>[],
  system: System,
): readonly RangeEvent[] | undefined {
  const { isValid, compare } = schemeOf(system);
  const read: RangeEvent[] = [];
  for (const event of events) {
    for (const kind of KINDS) {
      const version = event[kind];
      if (version === undefined) continue;
      if (!isBound(kind, version) && !isValid(version)) return undefined;
      // It limits nothing.
      if (version !== '*') read.push([kind, version]);
    }
  }
  if (!read.some(([kind]) => kind === 'introduced')) return undefined;
  return read.sort(
    ([kind, left], [other, right]) =>
      orderOf(left, right, compare) || KINDS.indexOf(kind) - KINDS.indexOf(other),
  );
}

/** Bounds that are no versions. */
function isBound(kind: RangeEvent[0], version: string): boolean {
  return (kind === 'introduced' && version === '0') || (kind === 'limit' && version === '*');
}

function orderOf(left: string, right: string, compare: (left: string, right: string) => number): number {
  if (left === '0' || right === '0') return Number(right === '0') - Number(left === '0') || 0;
  return compare(left, right);
}
