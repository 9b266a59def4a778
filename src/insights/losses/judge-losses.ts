import { addTo, isHandful, isProven, isSingle, type Tally } from '../../model/losses/evidence.ts';
import type { Compared, Group, Loss, Statements } from '../../model/losses/statements.ts';
import {
  ADVISORY_STATEMENTS,
  compareAnswer,
  statedBy,
  VERSION_STATEMENTS,
} from '../../model/losses/statements.ts';
import type { Answer } from '../../model/ports/shared-state.ts';
import type { Advisory } from '../../model/scan/inventory.ts';
import { InsightsError } from '../errors.ts';
import type { VersionLookUp } from '../resolve/version-look-up.ts';
import { MIN_WITNESSES, WITNESS_ADVISORIES, witnessesOf } from './witnesses.ts';

/** How witnesses are asked. */
export interface Witnessing {
  readonly lookUpVersions: VersionLookUp;
  readonly loadAdvisory: (id: string, signal: AbortSignal) => Promise<Advisory>;
}

/** The statement that one witness should make, and the one that it makes; `undefined` when the index does not have it. */
interface Testimony {
  /** Its subject by part; `undefined`: any. */
  readonly expected: ReadonlyMap<string, string | undefined>;
  readonly stated: ReadonlyMap<string, readonly string[]> | undefined;
}

/** Lost advisories that are asked about at once; others wait for the next refresh. */
const MAX_ASKED = 1_000;

/**
 * Adds what was compared to a tally, and returns which losses are proven. An advisory that imported ones alone stated is lost as they
 * are when no source has it any more: nobody denies it then. `accepted`: groups that a person accepted, given the tally.
 */
export async function provenLosses(
  tally: Tally,
  compared: readonly Pick<Compared<unknown>, 'kept' | 'lost'>[],
  witnessing: Witnessing,
  signal: AbortSignal,
  accepted: (tally: Tally) => readonly Group[] = () => [],
): Promise<{ readonly proven: ReadonlySet<Group>; readonly isProven: (loss: Loss) => boolean }> {
  const asked = new Set(compared.flatMap(({ lost }) => lost.flatMap(({ imported = [] }) => imported)));
  const unheard = await unheardOf(asked, witnessing, signal);
  const groupOf = ({ group, imported = [] }: Loss): Group =>
    imported.some((id) => unheard.has(id)) ? `${partsOf(group).scope} imported advisories` : group;
  for (const { kept, lost } of compared)
    addTo(tally, { kept, lost: lost.map((loss) => ({ ...loss, group: groupOf(loss) })) });
  const proven = new Set([...(await provenGroups(tally, witnessing, signal)), ...accepted(tally)]);
  return { proven, isProven: (loss) => proven.has(groupOf(loss)) };
}

/** The advisories that no source has. An error is no answer. */
async function unheardOf(
  ids: ReadonlySet<string>,
  { loadAdvisory }: Pick<Witnessing, 'loadAdvisory'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const unheard = new Set(ids);
  const ask = async (id: string): Promise<void> => {
    try {
      await loadAdvisory(id, signal);
      unheard.delete(id);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof InsightsError)) throw error;
    }
  };
  await Promise.all([...ids].slice(0, MAX_ASKED).map(ask));
  return unheard;
}

/**
 * The groups of a tally whose losses are proven: by what else was compared, or, for a handful, by witnesses that all still state the
 * same. An index without any of the witnesses is believed about a single subject only.
 */
async function provenGroups(
  tally: Tally,
  witnessing: Witnessing,
  signal: AbortSignal,
): Promise<ReadonlySet<Group>> {
  const groups = [...tally.lost.keys()];
  const proven = new Set(groups.filter((group) => isProven(tally, group)));
  const open = groups.filter((group) => !proven.has(group) && isHandful(tally, group)).map(partsOf);
  for (const scope of new Set(open.map((one) => one.scope))) {
    const isAdvisory = scope === ADVISORY_SCOPE;
    const testimonies = isAdvisory
      ? await advisoryTestimonies(witnessing, signal)
      : await versionTestimonies(scope, witnessing, signal);
    const { whole } = isAdvisory ? ADVISORY_STATEMENTS : VERSION_STATEMENTS;
    const isWithout = testimonies.every(({ stated }) => stated === undefined);
    const asked = open
      .filter((one) => one.scope === scope)
      .map(({ group, name }) => {
        const lost = tally.lost.get(group) ?? new Set();
        return { group, said: testimonyOf(testimonies, name, { whole, lost }) };
      });
    // An index that lost one part of its data may have lost the others as well.
    const hasLost = asked.some(({ said }) => said === 'lost');
    for (const { group, said } of asked) {
      if (isWithout ? isSingle(tally, group) : said === 'kept' && !hasLost) proven.add(group);
    }
  }
  return proven;
}

const ADVISORY_SCOPE = 'advisory';

function partsOf(group: Group): { readonly group: Group; readonly scope: string; readonly name: string } {
  const at = group.indexOf(' ');
  return { group, scope: group.slice(0, at), name: group.slice(at + 1) };
}

/** Whether all witnesses still state a part; `undefined` when there are too few of them. A single subject is no witness of its own loss. */
function testimonyOf(
  testimonies: readonly Testimony[],
  name: string,
  { whole, lost }: { readonly whole: string; readonly lost: ReadonlySet<string> },
): 'kept' | 'lost' | undefined {
  const asked = testimonies.filter(
    ({ expected, stated }) =>
      expected.has(name) &&
      (name === whole || stated !== undefined) &&
      !(lost.size === 1 && lost.has(expected.get(name) ?? '')),
  );
  if (!asked.every((one) => isComplete(one, name))) return 'lost';
  return asked.length >= MIN_WITNESSES ? 'kept' : undefined;
}

function isComplete({ expected, stated }: Testimony, name: string): boolean {
  const subjects = stated?.get(name) ?? [];
  const subject = expected.get(name);
  return subject === undefined ? subjects.length > 0 : subjects.includes(subject);
}

async function versionTestimonies(
  scope: string,
  { lookUpVersions }: Witnessing,
  signal: AbortSignal,
): Promise<readonly Testimony[]> {
  const witnesses = witnessesOf(scope);
  if (witnesses.length === 0) return [];
  const found = new Map<string, Testimony['stated']>();
  const lookUps = witnesses.map(({ lookUp }) => lookUp);
  await lookUpVersions(lookUps, signal, (settled) => {
    for (const [{ key }, answer] of settled) {
      const isLacking = 'record' in answer && answer.record.serviceLacks === true;
      if ('record' in answer && !isLacking) found.set(key, statedBy(VERSION_STATEMENTS, answer.record));
      else found.set(key, isLacking || isAbsent(answer) ? undefined : NOTHING);
    }
  });
  return witnesses.map(({ lookUp, states }) => ({ expected: states, stated: found.get(lookUp.key) }));
}

/** An error is no statement, and does not say that the index lacks the witness either. */
const NOTHING: Testimony['stated'] = new Map();

function isAbsent(answer: Answer<unknown> | { readonly error: InsightsError }): boolean {
  return !('error' in answer) || answer.error.code === 'uncovered' || answer.error.code === 'not-found';
}

async function advisoryTestimonies(
  { loadAdvisory }: Witnessing,
  signal: AbortSignal,
): Promise<readonly Testimony[]> {
  const kind: Statements<Advisory> = ADVISORY_STATEMENTS;
  return await Promise.all(
    WITNESS_ADVISORIES.map(async (record): Promise<Testimony> => {
      const { id } = record;
      const expected = new Map([kind.whole, ...kind.parts.map(({ name }) => name)].map((name) => [name, id]));
      try {
        const answer = { record: await loadAdvisory(id, signal) };
        const { kept } = compareAnswer(kind, { record }, answer);
        return { expected, stated: new Map(kept.map((group) => [partsOf(group).name, [id]])) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof InsightsError)
          return { expected, stated: isAbsent({ error }) ? undefined : NOTHING };
        throw error;
      }
    }),
  );
}
