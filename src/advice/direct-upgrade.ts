import type { FixChange } from '../model/advice/fix.ts';
import type { VersionKey } from '../model/lockfile/ecosystem.ts';
import type { PublishedVersion } from '../model/ports/insights.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import type { VersionScheme } from '../versions/version-scheme.ts';
import { openCandidates, waitsUntil } from './candidates.ts';
import type { GraphEvidence, GraphQuestion, Probe } from './graph-probe.ts';
import { evidenceOf, probeGraph, relocksFor } from './graph-probe.ts';
import { publicKey } from './holders.ts';
import { bad, noneOf, type Refuted, type Search, unknown } from './proof.ts';

/** How a direct dependency comes to bring only good versions of a package. */
export interface DirectWay {
  readonly way: Search<readonly FixChange[]>;
  readonly graphs: readonly GraphEvidence[];
}

export interface WayQuestion extends Omit<GraphQuestion, 'root'> {
  readonly direct: ResolvedPackage;
}

/**
 * The smallest version of a direct dependency, the locked one first, whose resolved graph has no affected version of a
 * package, and that is good itself. Versions of the locked line come before those of later ones.
 */
export async function findDirectWay(question: WayQuestion): Promise<DirectWay> {
  const { direct, project } = question;
  const asked = { ...question, root: direct };
  const key = publicKey(direct);
  if (key === undefined) return { way: unknown(`the index does not have ${direct.id}`), graphs: [] };
  const peer = peerBelow(question);
  if (peer !== undefined) return { way: unknown(peer), graphs: [] };
  const graphs: GraphEvidence[] = [];
  const probe = async (version: string): Promise<Probe> => {
    const probed = await probeGraph({ ...key, version }, asked);
    graphs.push(evidenceOf(probed));
    return probed;
  };
  const current = await probe(key.version);
  const isGood = current.proof.state === 'good';
  const relocks = isGood && project.manager.relocks !== 'never' ? relocksFor(current, asked) : [];
  // Without anything to lock again, the graph differs from the lockfile in a way that a re-lock does not repair.
  if (relocks.length > 0) return { way: { state: 'good', found: relocks }, graphs };
  const upgrade = await findUpgrade(question, probe, key);
  if (upgrade.state !== 'good') {
    // With the graph of the locked version, a re-lock could be sufficient.
    return { way: current.proof.state === 'unknown' ? current.proof : upgrade, graphs };
  }
  const { found } = upgrade;
  const change = upgradeOf(direct, found.version, schemeOf(key.system));
  return { way: { state: 'good', found: [change, ...relocksFor(found, asked)] }, graphs };
}

/** Why graphs do not say how a package comes to be below a direct dependency: they do not state what is installed for a peer. */
function peerBelow({ direct, affected, project }: WayQuestion): string | undefined {
  const between = new Map(project.dependents.between(direct.id, affected.id).map((one) => [one.id, one]));
  for (const { id, dependencies = [] } of between.values()) {
    for (const other of dependencies) {
      const below = between.get(other);
      if (below === undefined || below.direct === true) continue;
      const isPeer = project.requirements(id, below.name).some((one) => one.isPeer);
      if (isPeer) return `${below.id} is there because ${id} requires it as a peer`;
    }
  }
  return undefined;
}

/**
 * The smallest version of a direct dependency after one that it was to be upgraded to, of the same line, that brings no affected version of
 * another package either.
 */
export async function findLaterUpgrade(to: string, question: WayQuestion): Promise<Search<string>> {
  const key = publicKey(question.direct);
  if (key === undefined) return unknown(`the index does not have ${question.direct.id}`);
  const asked = { ...question, root: question.direct };
  const after = { ...key, version: to };
  const found = await findUpgrade(question, (version) => probeGraph({ ...key, version }, asked), after, true);
  return found.state === 'good' ? { state: 'good', found: found.found.version } : found;
}

/** The smallest version after one of a direct dependency that is good and brings no affected one. `inLine`: only of its line. */
async function findUpgrade(
  { direct, affected, project, facts, now }: WayQuestion,
  probe: (version: string) => Promise<Probe>,
  after: VersionKey,
  inLine = false,
): Promise<Search<Probe>> {
  const opened = await openCandidates(facts, after);
  if (opened.state !== 'good') return opened;
  const { scheme, later, unlisted, allGood } = opened.found;
  const usable = later.filter(
    (one) => waitsUntil(direct.name, one, project.statement.cooldown, now) === undefined,
  );
  const isOwnLine = ({ version }: PublishedVersion) => scheme.line(version) === scheme.line(after.version);
  const lists = inLine
    ? [usable.filter(isOwnLine)]
    : [usable.filter(isOwnLine), usable.filter((one) => !isOwnLine(one))];
  const newest = lists.flat().at(-1);
  if (newest === undefined) return unlisted ?? bad(`no later version of ${direct.name} can be locked`);
  // One batch, as most versions in a search are looked at anyway.
  await allGood(usable.map(({ version }) => version));
  const look = async ({ version }: PublishedVersion): Promise<Search<Probe> | 'skip'> => {
    if ((await allGood([version])).state !== 'good') return 'skip';
    const probed = await probe(version);
    return probed.proof.state === 'good' ? { state: 'good', found: probed } : probed.proof;
  };
  const found = await searchSmallest(lists, look);
  if (found.state !== 'bad') return found;
  return (
    unlisted ?? bad(`${direct.name} ${newest.version} brings no good version of ${affected.name} either`)
  );
}

/** The upgrade of a package that the target requires itself. */
export function upgradeOf(own: ResolvedPackage, to: string, scheme: VersionScheme): FixChange {
  const { name, version: from } = own;
  return { name, from, to, how: 'upgrade', ...(isBreaking(own, to, scheme) ? { breaking: true } : {}) };
}

/** Whether a version is of another line than the locked one. */
export function isBreaking(locked: ResolvedPackage, to: string, scheme: VersionScheme): boolean {
  return scheme.line(to) !== scheme.line(publicKey(locked)?.version ?? locked.version);
}

/**
 * The packages to lock again when a direct dependency gets a given version, if that version brings only good versions of the
 * affected package.
 */
export async function relocksAt(
  version: string,
  question: WayQuestion,
): Promise<Search<readonly FixChange[]>> {
  const asked = { ...question, root: question.direct };
  const key = publicKey(question.direct);
  if (key === undefined) return unknown(`the index does not have ${question.direct.id}`);
  const probed = await probeGraph({ ...key, version }, asked);
  return probed.proof.state === 'good' ? { state: 'good', found: relocksFor(probed, asked) } : probed.proof;
}

/** Items of which nothing is known that are passed over in one part of a search. */
const MAX_UNKNOWN = 12;
/** After so many of them in a row, the search goes on in larger steps. */
const NEAR = 3;

/** `skip`: the item cannot be taken, whatever others are. */
type Look<Item, Found> = (item: Item) => Promise<Search<Found> | 'skip'>;

/**
 * Returns the smallest good item, with few looks: the search halves each list, as an item that is good is assumed to be followed by others that
 * are. What is found was looked at itself. Items of which nothing is known are passed over, and leave open whether there is a good one.
 * `lists`: in the order in which they are preferred, each in the order of its items.
 */
export async function searchSmallest<Item, Found>(
  lists: readonly (readonly Item[])[],
  look: Look<Item, Found>,
): Promise<Search<Found>> {
  const refuted: Refuted[] = [];
  for (const items of lists) {
    const search = await searchIn(items, look);
    if (search.state === 'good') return search;
    refuted.push(search);
  }
  const [first = bad('there is nothing to search'), ...others] = refuted;
  return noneOf([first, ...others]);
}

async function searchIn<Item, Found>(
  items: readonly Item[],
  look: Look<Item, Found>,
): Promise<Search<Found>> {
  const high = await searchHigh(items, look);
  if (high.good === undefined) {
    const [first = bad('no version is good itself'), ...others] = [...high.refuted];
    return noneOf([first, ...others]);
  }
  const smaller = await halve(items.slice(0, high.good.at), look);
  return { state: 'good', found: smaller?.found ?? high.good.found };
}

/** A good item as high as possible: the last one that is known. Below a bad one, none is looked for. */
async function searchHigh<Item, Found>(items: readonly Item[], look: Look<Item, Found>) {
  const refuted: Refuted[] = [];
  let step = 1;
  for (let at = items.length - 1; at >= 0 && refuted.length < MAX_UNKNOWN; at -= step) {
    const looked = await look(items[at] as Item);
    if (looked === 'skip') continue;
    if (looked.state === 'good') return { good: { at, found: looked.found }, refuted };
    refuted.push(looked);
    if (looked.state === 'bad') {
      const between = await halve(items.slice(at + 1, at + step), look);
      const good = between && { at: at + 1 + between.at, found: between.found };
      return { good, refuted };
    }
    if (refuted.length >= NEAR) step *= 2;
  }
  return { good: undefined, refuted };
}

/** The smallest good item of a list that has the bad ones first. */
async function halve<Item, Found>(items: readonly Item[], look: Look<Item, Found>) {
  let found: { readonly at: number; readonly found: Found } | undefined;
  let open = items.map((item, at) => ({ item, at }));
  for (let passed = 0; open.length > 0 && passed < MAX_UNKNOWN; ) {
    const middle = open.length >> 1;
    const { item, at } = open[middle] as (typeof open)[number];
    const looked = await look(item);
    if (looked !== 'skip' && looked.state === 'good') {
      found = { at, found: looked.found };
      open = open.slice(0, middle);
    } else if (looked !== 'skip' && looked.state === 'bad') {
      open = open.slice(middle + 1);
    } else {
      passed += looked === 'skip' ? 0 : 1;
      open = open.toSpliced(middle, 1);
    }
  }
  return found;
}
