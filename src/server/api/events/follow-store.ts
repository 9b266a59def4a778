import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { DeliveryRecord } from '../../../model/alert/delivery.ts';
import { messageOf } from '../../../model/errors.ts';
import type { ScanRecord } from '../../../model/scan/scan-record.ts';
import { chunks } from '../../../model/yielding.ts';
import { shownScan } from '../../../operations/scans/find.ts';
import type { DeliveryStore } from '../../../store/alerts/deliveries.ts';
import type { ChangeLog, ChangeLogEntry } from '../../../store/fleet/change-log.ts';
import type { ScanStore } from '../../../store/scans.ts';
import type { OnUnreadable } from '../../../store/values/stored-values.ts';
import type { FleetEvent } from './event-log.ts';

export interface FollowedStore {
  readonly changeLog: ChangeLog;
  readonly scans: Pick<ScanStore, 'idsSince' | 'findEach'>;
  readonly deliveries: Pick<DeliveryStore, 'idsSince' | 'findAll'>;
}

export interface FollowOptions {
  readonly shards: readonly FollowedStore[];
  readonly add: (event: FleetEvent) => void;
  readonly onUnreadable: OnUnreadable;
  /** A reading that failed; the next one repeats it. */
  readonly onFailure: (reason: string) => void;
  /** Milliseconds between two readings. Default 500. */
  readonly every?: number;
}

/** Scans, and deliveries, whose state is remembered. */
const MAX_REMEMBERED = 20_000;
/** Records that are read in parallel. */
const CHUNK = 500;
/** Clocks of workers differ by some seconds. */
const OVERLAP_MS = 10_000;

/** Turns what is stored from now on into events, until it is closed. */
export function followStore({ shards, add, onUnreadable, onFailure, every = 500 }: FollowOptions) {
  const stop = new AbortController();
  const followed = shards.map((shard) => ({ ...shard, ...follower(shard, add, onUnreadable) }));
  const begun = Promise.all(followed.map(({ begin }) => begin()));
  const running = (async () => {
    while (!stop.signal.aborted) {
      try {
        await begun;
        for (const { read } of followed) await read();
      } catch (error) {
        if (!stop.signal.aborted) onFailure(messageOf(error));
      }
      await sleep(every, undefined, { signal: stop.signal, ref: false }).catch(() => {});
    }
  })();
  return {
    /** Resolves when later changes become events. */
    begun: begun.then(() => {}),
    async close() {
      stop.abort();
      await running;
    },
  };
}

function follower(
  { changeLog, scans, deliveries }: FollowedStore,
  add: (event: FleetEvent) => void,
  onUnreadable: OnUnreadable,
) {
  let last = '0-0';
  let newest = 0;
  /** The last known state of a scan. */
  const states = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  const readScans = async (isFirst: boolean): Promise<void> => {
    const noted = await scans.idsSince(newest - OVERLAP_MS);
    newest = noted[0]?.time ?? newest;
    const open = [...states].flatMap(([id, state]) =>
      state === 'running' || state === 'queued' ? [id] : [],
    );
    const unknown = noted.flatMap(({ id }) => (states.has(id) ? [] : [id]));
    for (const scan of await scans.findEach([...new Set([...open, ...unknown])])) {
      if (states.get(scan.scan) === scan.state) continue;
      states.set(scan.scan, scan.state);
      if (!isFirst) add(scanEvent(scan));
    }
  };
  const readDeliveries = followDeliveries(deliveries, add);
  return {
    async begin() {
      last = (await changeLog.newestId()) ?? '0-0';
      newest = Date.now();
      await readScans(true);
      await readDeliveries();
    },
    async read() {
      for await (const entry of changeLog.after(last, onUnreadable)) {
        last = entry.id;
        add(changeEvent(entry));
      }
      await readScans(false);
      await readDeliveries();
    },
  };
}

/** Returns a function that adds the deliveries that changed since its last call. The first call adds none. */
function followDeliveries(
  deliveries: FollowedStore['deliveries'],
  add: (event: FleetEvent) => void,
): () => Promise<void> {
  let newest: number | undefined;
  /** Times of their last changes. */
  const times = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  return async () => {
    const isFirst = newest === undefined;
    const from = newest ?? Date.now();
    const noted = await deliveries.idsSince(from - OVERLAP_MS);
    const changed = noted.filter(({ id, time }) => times.get(id) !== time);
    for (const part of isFirst ? [] : chunks(changed, CHUNK)) {
      const records = await deliveries.findAll(part.map(({ id }) => id));
      for (const record of records) add(deliveryEvent(record));
    }
    for (const { id, time } of changed) times.set(id, time);
    newest = changed.reduce((last, { time }) => Math.max(last, time), from);
  };
}

/** The changes of one scan, as `changes.list` shows them. */
export function changeEvent({ at, ...entry }: ChangeLogEntry): FleetEvent {
  const data = JSON.stringify({ ...entry, at: new Date(at).toISOString() });
  return { topic: 'changes', target: entry.target, at, data };
}

/** A scan whose state changed, as `scans.list` shows it. */
export function scanEvent(scan: ScanRecord): FleetEvent {
  const at = scan.endedAt ?? scan.startedAt ?? (Date.parse(scan.requestedAt) || 0);
  return { topic: 'scans', target: scan.target, at, data: JSON.stringify(shownScan(scan)) };
}

/** A delivery whose state changed, as `deliveries.list` shows it. */
export function deliveryEvent(delivery: DeliveryRecord): FleetEvent {
  const { target, updatedAt } = delivery;
  return { topic: 'deliveries', target, at: Date.parse(updatedAt) || 0, data: JSON.stringify(delivery) };
}
