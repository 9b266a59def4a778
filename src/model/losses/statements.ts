import { defined } from '../defined.ts';
import { formatVersionKey } from '../lockfile/ecosystem.ts';
import type { Answer, Known } from '../ports/shared-state.ts';
import type { Advisory, Resolution, VersionRecordSummary } from '../scan/inventory.ts';

/** A part of a record whose loss would resolve findings. */
interface Statement<Value> {
  /** In the plural, after "its": `advisories`. */
  readonly name: string;
  /** Returns what the record states: advisory ids, or the package that the statement is about. Empty when it states nothing. */
  readonly says: (record: Value) => readonly string[];
  /** Returns what the service itself states, which alone proves that it has its data. Default: what `says` returns. */
  readonly attests?: (record: Value) => readonly string[];
  /** Returns what an answer no longer states of the known value. Default: what `says` does not return for the answer. */
  readonly lost?: (answer: Value, known: Value) => readonly string[];
  /** Whether an answer says nothing about it. What was known then stays, whatever is proven of others. Default: never. */
  readonly isSilent?: (answer: Value, known: Value) => boolean;
  /** The record of an answer with what was known before of these subjects. */
  readonly keep: (answer: Value, known: Value, subjects: readonly string[]) => Value;
}

/** The statements of one kind of record. */
export interface Statements<Value> {
  /** Records of one scope lose data together: those of one system of packages. */
  readonly scope: (record: Value) => string;
  readonly subject: (record: Value) => string;
  /** Whether the service itself has it. Default: always. */
  readonly isOfService?: (record: Value) => boolean;
  /** Returns the advisories that imported ones alone state. Default: none. */
  readonly imported?: (record: Value) => readonly string[];
  /** The name of the statement that is lost with the whole record. */
  readonly whole: string;
  readonly parts: readonly Statement<Value>[];
  /** The answer with what many services never state: that it is absent means nothing, so that only another value replaces what is known. Default: the answer. */
  readonly carry?: (answer: Value, known: Value) => Value;
}

export const VERSION_STATEMENTS: Statements<VersionRecordSummary> = {
  scope: ({ versionKey }) => versionKey.system,
  subject: ({ versionKey }) => formatVersionKey(versionKey),
  isOfService: ({ serviceLacks }) => serviceLacks !== true,
  imported({ advisoryIds, advisoriesOnly, serviceLacks, claims }) {
    if (advisoriesOnly === true || serviceLacks === true) return advisoryIds;
    return [...notOfService(claims)];
  },
  whole: 'versions',
  carry: (answer, { projectStatus }) =>
    projectStatus === undefined || answer.projectStatus !== undefined ? answer : { ...answer, projectStatus },
  parts: [
    {
      name: 'advisories',
      says: ({ advisoryIds }) => advisoryIds,
      attests: ({ advisoryIds, claims }) => {
        const denied = notOfService(claims);
        return denied.size === 0 ? advisoryIds : advisoryIds.filter((id) => !denied.has(id));
      },
      // Imported advisories replace no answer of the service.
      isSilent: ({ serviceLacks }, known) => serviceLacks === true && known.serviceLacks === undefined,
      keep(answer, known, lost) {
        const now = answer.serviceLacks === true && known.serviceLacks === undefined ? known : answer;
        const kept = new Set([...answer.advisoryIds, ...lost]);
        // What the sources said of them stays, too: it says of whom they are.
        const said = (known.claims ?? []).filter(({ id }) => lost.includes(id));
        const claims = [...(now.claims ?? []).filter(({ id }) => !lost.includes(id)), ...said];
        return {
          ...now,
          advisoryIds: [...new Set([...known.advisoryIds.filter((id) => kept.has(id)), ...kept])],
          ...(claims.length === 0 ? {} : { claims }),
        };
      },
    },
    {
      name: 'deprecation',
      says: ({ isDeprecated, versionKey }) => (isDeprecated ? [versionKey.name] : []),
      keep: (answer, { isDeprecated, deprecatedReason }) => ({
        ...answer,
        isDeprecated,
        ...defined({ deprecatedReason }),
      }),
    },
    {
      name: 'publication date',
      says: ({ publishedAt, versionKey }) => (publishedAt === undefined ? [] : [versionKey.name]),
      keep: (answer, { publishedAt }) => ({
        ...answer,
        ...defined({ publishedAt }),
      }),
    },
    {
      name: 'licences',
      says: ({ licenses, versionKey }) => (licenses.some(isReadable) ? [versionKey.name] : []),
      keep: (answer, { licenses }) => ({ ...answer, licenses }),
    },
  ],
};

export const ADVISORY_STATEMENTS: Statements<Advisory> = {
  scope: () => 'advisory',
  subject: ({ id }) => id,
  whole: 'records',
  parts: [
    {
      name: 'score',
      says: ({ id, score }) => (score === undefined ? [] : [id]),
      // A lower score is one that is no longer stated: findings would get less severe.
      lost: ({ id, score = -1 }, known) => (score < (known.score ?? -1) ? [id] : []),
      keep: ({ score: _score, vector: _vector, ...answer }, { score, vector }) => ({
        ...answer,
        ...defined({ score, vector }),
      }),
    },
    {
      name: 'aliases',
      says: ({ id, aliases }) => (aliases.length === 0 ? [] : [id]),
      // Other aliases would join it with other issues.
      lost: ({ id, aliases }, known) => (known.aliases.every((one) => aliases.includes(one)) ? [] : [id]),
      keep: (answer, { aliases }) => ({ ...answer, aliases }),
    },
  ],
};

/** The advisories of a version that imported ones list and the service does not. */
function notOfService(claims: VersionRecordSummary['claims'] = []): ReadonlySet<string> {
  return new Set(
    claims.flatMap(({ id, source, says }) => (source === 'api' && says !== 'affected' ? id : [])),
  );
}

/** An index that cannot read a licence any more states `non-standard`. */
function isReadable(license: string): boolean {
  return license !== '' && license !== 'non-standard';
}

/** The statements of one kind in one scope, which are lost together: `NPM advisories`. */
export type Group = string;

/** A subject that was stated before and is not in the answer. */
export interface Loss {
  readonly group: Group;
  readonly subject: string;
  /** The advisories that are lost with it, of those that imported ones alone stated. Absent: none. */
  readonly imported?: readonly string[];
}

/** An answer compared with what was known. */
export interface Compared<Value> {
  /** The answer, with what it lost unless the loss is believed. */
  readonly known: Known<Value>;
  /** The groups that were stated before and still are. */
  readonly kept: readonly Group[];
  readonly lost: readonly Loss[];
}

/**
 * Compares an answer with what was known. What the answer adds is known at once. What it no longer states stays known and is doubted,
 * because a service that lost its data answers in the same way; `believes` says which losses are proven.
 */
export function compareAnswer<Value>(
  kind: Statements<Value>,
  before: Known<Value> | undefined,
  answer: Answer<Value>,
  believes: (loss: Loss) => boolean = () => false,
): Compared<Value> {
  if (before === undefined || !('record' in before)) return { known: answer, kept: [], lost: [] };
  const known = before.record;
  const groupOf = (name: string): Group => `${kind.scope(known)} ${name}`;
  const whole = groupOf(kind.whole);
  const imported = kind.imported?.(known) ?? [];
  if (!('record' in answer)) {
    const loss = { group: whole, subject: kind.subject(known), imported };
    return { known: believes(loss) ? answer : { record: known, doubted: answer }, kept: [], lost: [loss] };
  }
  const kept: Group[] = kind.isOfService?.(answer.record) === false ? [] : [whole];
  const lost: Loss[] = [];
  const carried = carriedBy(kind, answer.record, known);
  let record = carried;
  for (const part of kind.parts) {
    if (part.says(known).length === 0) continue;
    const group = groupOf(part.name);
    const gone = lostOf(part, answer.record, known);
    if (gone.length === 0) {
      if (isAttested(part, answer.record, known)) kept.push(group);
      continue;
    }
    const isSilent = part.isSilent?.(answer.record, known) === true;
    const losses = gone.map((subject): Loss => {
      return { group, subject, imported: imported.filter((id) => id === subject) };
    });
    const doubted = losses.filter((loss) => isSilent || !believes(loss)).map(({ subject }) => subject);
    if (doubted.length > 0) record = part.keep(record, known, doubted);
    if (!isSilent) lost.push(...losses);
  }
  const isWhole = record === carried;
  return { known: isWhole ? { record } : { record, doubted: answer }, kept, lost };
}

/** Whether the service itself still states what it stated. */
function isAttested<Value>({ attests }: Statement<Value>, answer: Value, known: Value): boolean {
  if (attests === undefined) return true;
  const now = new Set(attests(answer));
  return attests(known).every((subject) => now.has(subject));
}

function carriedBy<Value>({ carry }: Statements<Value>, answer: Value, known: Value): Value {
  return carry === undefined ? answer : carry(answer, known);
}

function lostOf<Value>({ says, lost }: Statement<Value>, answer: Value, known: Value): readonly string[] {
  if (lost !== undefined) return lost(answer, known);
  const now = new Set(says(answer));
  return says(known).filter((subject) => !now.has(subject));
}

/** Returns a sentence about what is doubted of a record; `undefined` when nothing is. */
export function doubtOf<Value>(kind: Statements<Value>, known: Known<Value>): string | undefined {
  if (!('record' in known) || known.doubted === undefined) return undefined;
  const { doubted, record } = known;
  if (!('record' in doubted)) return 'the service no longer has it';
  const names = kind.parts.filter((part) => lostOf(part, doubted.record, record).length > 0);
  return `the service no longer states its ${names.map(({ name }) => name).join(', ')}`;
}

/** The subjects of what a record states, by part, that of the whole record included. */
export function statedBy<Value>(
  { whole, subject, parts }: Statements<Value>,
  record: Value,
): ReadonlyMap<string, readonly string[]> {
  return new Map([
    [whole, [subject(record)]],
    ...parts.map(({ name, says, attests = says }): [string, readonly string[]] => [name, attests(record)]),
  ]);
}

/** Why a version is `resolved` of which imported advisories alone are known. */
export const ADVISORIES_ALONE = 'its existence is not known: imported advisories answered';

/** The resolution of a package whose version is known. Its reason says what of the record is doubted. */
export function resolutionOfRecord(
  known: Extract<Known<VersionRecordSummary>, { readonly record: unknown }>,
): Resolution {
  const { record } = known;
  const doubt = known.doubted === undefined ? undefined : doubtOf(VERSION_STATEMENTS, known);
  const reason = doubt ?? (record.advisoriesOnly && ADVISORIES_ALONE);
  return reason === undefined ? { outcome: 'resolved', record } : { outcome: 'resolved', reason, record };
}
