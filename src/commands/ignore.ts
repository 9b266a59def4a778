import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { type FleetStore, openFleetStore, summariesOf } from '../compose/fleet-store.ts';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import { configuredSuppressions } from '../config/sections/suppressions.ts';
import type { VexFile } from '../config/sections/vex-text.ts';
import { duration } from '../config/values.ts';
import type { ListedSuppression, StoredSuppression } from '../model/scan/suppression.ts';
import { suppressionEntry, suppressionOf } from '../policy/suppressions/entry.ts';
import { isExpired } from '../policy/suppressions/suppressor.ts';
import { type Issue, isOlder } from '../policy/suppressions/vex/issue.ts';
import type { SuppressionStore } from '../store/suppressions.ts';
import { IgnoreError } from './errors.ts';
import { readVexFile } from './scanning/vex-file.ts';

/** Administration of the suppressions of the whole fleet. */
export type IgnoreAdmin = Awaited<ReturnType<typeof openIgnoreAdmin>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openIgnoreAdmin(loaded: LoadedConfig) {
  return administerSuppressions(loaded, await openFleetStore(loaded));
}

/** The same for a fleet that is open. `close` closes it. */
export function administerSuppressions(loaded: LoadedConfig, fleet: FleetStore) {
  const store = fleet.shards[0]?.suppressions;
  if (store === undefined) throw new RangeError('a Redis without shards');
  return {
    unreadable: fleet.unreadable,
    /** Adds a suppression, written as in the configuration. `expires` may be a duration. Throws `ConfigError`. */
    async add(written: WrittenSuppression, now = Date.now()): Promise<StoredSuppression> {
      const author = written.author ?? userName();
      const entry = checked({ ...written, author, ...expiryOf(written, now) });
      const id = `ignore ${randomBytes(4).toString('hex')}`;
      const added = {
        suppression: suppressionOf(entry, { id, source: 'command' }),
        addedAt: new Date(now).toISOString(),
      };
      await store.put([added]);
      return added;
    },
    /** Applies the statements of VEX documents. A later version of a document replaces it. Throws `FileError`, `ConfigError` and `IgnoreError` (`older`). */
    async import(paths: readonly string[], author = userName()): Promise<readonly ImportedVex[]> {
      const imported: ImportedVex[] = [];
      for (const path of paths) imported.push(await importVex(store, path, author));
      return imported;
    },
    list: (options: { readonly removed?: boolean } = {}) => listSuppressions(loaded, fleet, options),
    /** Throws `IgnoreError` (`not-found`, `removed`). */
    async remove(
      ids: readonly string[],
      {
        author = userName(),
        reason,
      }: { readonly author?: string | undefined; readonly reason?: string | undefined },
    ): Promise<readonly StoredSuppression[]> {
      const all = await store.list();
      const removed = { at: new Date().toISOString(), author, ...(reason === undefined ? {} : { reason }) };
      const changed = ids.map((id) => ({ ...require(all, id), removed }));
      await store.put(changed);
      return changed;
    },
    close: fleet.close,
  };
}

/** What a VEX document changed. */
export interface ImportedVex extends Pick<VexFile, 'id' | 'notApplied'> {
  readonly path: string;
  /** Numbers of suppressions. */
  readonly applied: number;
  /** Number of statements that findings count, by the packages and targets that they name. */
  readonly overruling: number;
  /** Of an earlier version of the document, without effect from now on. */
  readonly removed: number;
}

async function importVex(store: SuppressionStore, path: string, author: string): Promise<ImportedVex> {
  const { id, issue, suppressions, notApplied } = await readVexFile(path);
  const at = new Date().toISOString();
  const known = (await store.list()).filter(({ suppression }) => isOf(id, suppression));
  const later = known.find((one) => one.issue !== undefined && isOlder(issue, one.issue));
  if (later !== undefined) throw olderDocument(path, issue, later.issue);
  const added = suppressions.map((suppression) => ({ suppression, addedAt: at, issue }));
  const now = new Set(suppressions.map((suppression) => suppression.id));
  const reason = 'another version of the document replaces it';
  const removed = known
    .filter((one) => one.removed === undefined && !now.has(one.suppression.id))
    .map((one) => ({ ...one, issue, removed: { at, author, reason } }));
  await store.put([...added, ...removed]);
  const overruling = suppressions.filter(({ overrules }) => overrules === true).length;
  return {
    path,
    id,
    notApplied,
    applied: added.length - overruling,
    overruling,
    removed: removed.length,
  };
}

/** Whether a suppression is from a VEX document. */
function isOf(document: string, { id }: StoredSuppression['suppression']): boolean {
  const start = `vex ${document} `;
  return id.startsWith(start) && /^#\d+ \d+$/.test(id.slice(start.length));
}

function olderDocument(path: string, issue: Issue, later: Issue = {}): IgnoreError {
  const text = ({ at = 'no time', version }: Issue) =>
    version === undefined ? at : `${at}, version ${version}`;
  return new IgnoreError(
    'older',
    `${path} is an older version (${text(issue)}) of a document that is applied (${text(later)}); nothing is changed. To go back to it, give it a later time.`,
  );
}

export interface WrittenSuppression {
  readonly author?: string | undefined;
  readonly expires?: string | undefined;
  readonly [field: string]: unknown;
}

function expiryOf({ expires }: WrittenSuppression, now: number): { readonly expires?: string } {
  if (expires === undefined) return {};
  const after = duration.safeParse(expires);
  return { expires: after.success ? new Date(now + after.data).toISOString() : expires };
}

function checked(written: object) {
  const given = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
  const parsed = suppressionEntry().safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  );
  throw new ConfigError(
    'config-invalid',
    `the suppression is not valid:\n${faults.map((one) => `  ${one}`).join('\n')}`,
  );
}

function require(all: readonly StoredSuppression[], id: string): StoredSuppression {
  const name = /^(?:ignore|vex) /.test(id) ? id : `ignore ${id}`;
  const found = all.find(({ suppression }) => suppression.id === name);
  if (found === undefined) {
    throw new IgnoreError('not-found', `there is no suppression ${id}: see \`lockhound ignore list\``);
  }
  if (found.removed === undefined) return found;
  throw new IgnoreError('removed', `${id} was removed at ${found.removed.at} by ${found.removed.author}`);
}

/** A system without a name for the user, such as a container, has `unknown`. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/** The suppressions of the configuration and those that commands added, with the number of findings that each suppresses. */
async function listSuppressions(
  { config }: LoadedConfig,
  fleet: FleetStore,
  { removed = false }: { readonly removed?: boolean },
): Promise<readonly ListedSuppression[]> {
  const stored = (await fleet.shards[0]?.suppressions.list()) ?? [];
  const configured = configuredSuppressions(config.suppressions).map((suppression) => ({ suppression }));
  const uses = await countUses(fleet);
  const now = Date.now();
  return [...configured, ...stored]
    .filter((one) => removed || !('removed' in one) || one.removed === undefined)
    .map((one) => ({
      ...one,
      findings: uses.get(one.suppression.id) ?? 0,
      expired: isExpired(one.suppression, now),
    }));
}

/** Number of suppressed findings by suppression. Only states of targets with suppressed findings are read. */
async function countUses(fleet: FleetStore): Promise<ReadonlyMap<string, number>> {
  const uses = new Map<string, number>();
  const targets: string[] = [];
  for await (const [target, { suppressed = 0 }] of summariesOf(fleet))
    if (suppressed > 0) targets.push(target);
  for (const [{ targetStates }, own] of Map.groupBy(targets, fleet.of)) {
    for await (const [, state] of targetStates.each(own, fleet.onUnreadable)) {
      for (const { status, finding } of state.findings) {
        if (status !== 'open' || finding.suppressed === undefined) continue;
        const { by } = finding.suppressed;
        uses.set(by, (uses.get(by) ?? 0) + 1);
      }
    }
  }
  return uses;
}
