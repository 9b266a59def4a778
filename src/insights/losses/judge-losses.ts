import { isHandful, isProven, type Tally } from '../../model/losses/evidence.ts';
import {
  ADVISORY_STATEMENTS,
  type Group,
  type Statements,
  statedBy,
  VERSION_STATEMENTS,
} from '../../model/losses/statements.ts';
import type { Advisory } from '../../model/scan/advisory.ts';
import { InsightsError } from '../errors.ts';
import type { VersionLookUp } from '../resolve/version-look-up.ts';
import { WITNESS_ADVISORIES, witnessesOf } from './witnesses.ts';

/** How witnesses are asked. */
export interface Witnessing {
  readonly lookUpVersions: VersionLookUp;
  readonly loadAdvisory: (id: string, signal: AbortSignal) => Promise<Advisory>;
}

/** The statements that one witness should make, and those that it makes; `undefined` when the index does not have it. */
interface Testimony {
  readonly expected: readonly string[];
  readonly stated: readonly string[] | undefined;
}

/** Fewer witnesses than this prove nothing. */
const MIN_WITNESSES = 2;

/**
 * The groups of a tally whose losses are proven: by what else was compared, or, for a handful, by witnesses that all still state the
 * same. An index without the witnesses proves nothing.
 */
export async function provenGroups(
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
    for (const { group, name, scope: own } of open) {
      if (own === scope && proves(testimonies, name, whole)) proven.add(group);
    }
  }
  return proven;
}

const ADVISORY_SCOPE = 'advisory';

function partsOf(group: Group): { readonly group: Group; readonly scope: string; readonly name: string } {
  const at = group.indexOf(' ');
  return { group, scope: group.slice(0, at), name: group.slice(at + 1) };
}

function proves(testimonies: readonly Testimony[], name: string, whole: string): boolean {
  const asked = testimonies.filter(({ expected, stated }) =>
    name === whole ? true : stated !== undefined && expected.includes(name),
  );
  return asked.length >= MIN_WITNESSES && asked.every(({ stated }) => stated?.includes(name) === true);
}

async function versionTestimonies(
  scope: string,
  { lookUpVersions }: Witnessing,
  signal: AbortSignal,
): Promise<readonly Testimony[]> {
  const witnesses = witnessesOf(scope);
  if (witnesses.length === 0) return [];
  const found = new Map<string, readonly string[]>();
  const lookUps = witnesses.map(({ lookUp }) => lookUp);
  await lookUpVersions(lookUps, signal, (settled) => {
    for (const [{ key }, answer] of settled)
      if ('record' in answer) found.set(key, statedBy(VERSION_STATEMENTS, answer.record));
  });
  return witnesses.map(({ lookUp, states }) => ({ expected: states, stated: found.get(lookUp.key) }));
}

async function advisoryTestimonies(
  { loadAdvisory }: Witnessing,
  signal: AbortSignal,
): Promise<readonly Testimony[]> {
  const kind: Statements<Advisory> = ADVISORY_STATEMENTS;
  const expected = kind.parts.map(({ name }) => name);
  return await Promise.all(
    WITNESS_ADVISORIES.map(async (id): Promise<Testimony> => {
      try {
        return { expected, stated: statedBy(kind, await loadAdvisory(id, signal)) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof InsightsError) return { expected, stated: undefined };
        throw error;
      }
    }),
  );
}
