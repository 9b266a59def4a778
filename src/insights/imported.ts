import { defined } from '../model/defined.ts';
import { isApiSystem, type VersionKey } from '../model/lockfile/ecosystem.ts';
import type { AdvisoryClaim } from '../model/scan/claim.ts';
import type { Advisory, PublishedVersions, VersionRecordSummary } from '../model/scan/inventory.ts';
import { awaitedLater } from '../model/time-limit.ts';
import { inSlices } from '../model/yielding.ts';
import { InsightsError } from './errors.ts';
import { readAdvisory } from './records/advisory.ts';
import type { LookUp } from './resolve/eligibility.ts';
import type { VersionAnswer, VersionLookUp } from './resolve/version-look-up.ts';

/** The ids of advisories that affect a version, and of those of which this cannot be decided. */
interface MatchedIds {
  readonly own: readonly string[];
  readonly undecided?: string[];
}

/** Imported advisories as they are at one time. */
interface ImportedAdvisories {
  /** Returns the statements about each version, in order; `undefined` for a version that no advisory affects. */
  affecting(keys: readonly VersionKey[]): readonly (MatchedIds | undefined)[];
  /** The statements of both where they and the service differ about a version; the ids that each lists. */
  claimsAbout(
    key: VersionKey,
    ids: MatchedIds & { readonly service: readonly string[] },
  ): readonly AdvisoryClaim[];
  find(id: string): ImportedAdvisory | undefined;
  /** Why these are not the present ones; absent when they are. */
  readonly fault?: string | undefined;
  /** The lowest version in which all is fixed that affects a version; `undefined` where they do not say so. */
  fixedIn(key: VersionKey): string | undefined;
  /** The versions that they name as fixed; `undefined` for a system that they do not cover. */
  publishedVersions(name: Pick<VersionKey, 'system' | 'name'>): PublishedVersions | undefined;
}

interface ImportedAdvisory extends Pick<Advisory, 'title' | 'aliases'> {
  /** CVSS vector, and its base score where that is known. */
  readonly vector?: string;
  readonly score?: number;
}

/** Returns them as they are now. What it returned may be closed a minute later. */
type Imported = () => Promise<ImportedAdvisories>;

export interface FromImports {
  /** Imported advisories, added to what the service answers. Default: none. */
  readonly imported?: Imported | undefined;
  /** Whether imported advisories, or a local service, alone answer. Default: false. */
  readonly isLocal?: boolean;
}

/** Versions that are matched between two looks at the advisories. */
const SLICE = 1_000;

/** Adds imported advisories to the answers of a look-up, or answers by them alone. */
export function withImported(lookUp: VersionLookUp, { imported, isLocal }: FromImports): VersionLookUp {
  if (imported === undefined) return lookUp;
  const alone = importedAlone(imported);
  if (isLocal === true) return alone;
  const both = importedToo(lookUp, imported);
  return async (lookUps, signal, settled) => {
    const { service = [], others = [] } = Object.groupBy(lookUps, ({ versionKey: { system } }) =>
      isApiSystem(system) ? 'service' : 'others',
    );
    if (service.length > 0) await both(service, signal, settled);
    if (others.length > 0) await alone(others, signal, settled);
  };
}

function importedAlone(imported: Imported): VersionLookUp {
  return async (lookUps, signal, settled) => {
    for await (const slice of inSlices(lookUps, SLICE)) {
      signal.throwIfAborted();
      const advisories = await imported();
      const found = advisories.affecting(slice.map(({ versionKey }) => versionKey));
      settled(slice.map((lookUp, index) => [lookUp, matched(lookUp, found[index])] as const));
    }
  };
}

function matched({ versionKey }: LookUp, ids: MatchedIds | undefined): VersionAnswer {
  return ids === undefined
    ? { error: new InsightsError('uncovered', 'not in the local data set') }
    : { record: recordOf(versionKey, ids) };
}

/** Whether the version exists, its date, licences and deprecation are not known. */
function recordOf(versionKey: VersionKey, { own, undecided }: MatchedIds): VersionRecordSummary {
  return {
    versionKey,
    isDefault: false,
    isDeprecated: false,
    licenses: [],
    advisoryIds: [...own],
    advisoriesOnly: true,
    ...defined({ undecided }),
  };
}

/** Adds imported advisories to the answers of the service: to its versions, and for those that it does not have. */
function importedToo(lookUp: VersionLookUp, imported: Imported): VersionLookUp {
  return async (lookUps, signal, settled) => {
    const joining: Promise<void>[] = [];
    await lookUp(lookUps, signal, (answers) => {
      joining.push(awaitedLater(imported().then((advisories) => settled(joined(answers, advisories)))));
    });
    await Promise.all(joining);
  };
}

type Settled = readonly (readonly [lookUp: LookUp, answer: VersionAnswer])[];

function joined(answers: Settled, advisories: ImportedAdvisories): Settled {
  const found = advisories.affecting(
    answers.map(([{ versionKey }, answer]) => ('record' in answer ? answer.record.versionKey : versionKey)),
  );
  return answers.map(([lookUp, answer], index) => [
    lookUp,
    joinedTo(lookUp, answer, found[index], advisories),
  ]);
}

function joinedTo(
  { versionKey }: LookUp,
  answer: VersionAnswer,
  found: MatchedIds | undefined,
  advisories: ImportedAdvisories,
): VersionAnswer {
  if (found === undefined || ('error' in answer && answer.error.code !== 'uncovered')) return answer;
  const { own, undecided } = found;
  if (!('record' in answer)) {
    // Nothing is known of the version: the miss of the service stays.
    return own.length === 0 ? answer : { record: { ...recordOf(versionKey, found), serviceLacks: true } };
  }
  const { record } = answer;
  const { advisoryIds: service } = record;
  const claims = advisories.claimsAbout(record.versionKey, { service, ...found });
  const advisoryIds = [...service, ...own.filter((id) => !service.includes(id))];
  const said = claims.length === 0 ? {} : { claims: [...claims] };
  return { record: { ...record, advisoryIds, ...said, ...defined({ undecided }) } };
}

/** Returns the imported advisory with this id; `undefined` when no record has it. */
export async function importedAdvisory(
  id: string,
  imported: FromImports['imported'],
): Promise<Advisory | undefined> {
  const found = (await imported?.())?.find(id);
  if (found === undefined) return undefined;
  const { title, aliases, vector, score } = found;
  const value = {
    advisoryKey: { id },
    url: `https://osv.dev/vulnerability/${id}`,
    title,
    aliases: [...aliases],
    ...defined({ cvss3Vector: vector }),
  };
  return { ...(await readAdvisory({ value, problems: [] }, id, score)), imported: true };
}
