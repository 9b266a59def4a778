import pLimit from 'p-limit';
import { type FeedPosition, type OsvRecord, osvSystem } from '../model/advisories/osv-record.ts';
import { messageOf } from '../model/errors.ts';
import type { Coverage } from './database.ts';
import { readOsvRecord } from './osv-record.ts';
import { type RequestOptions, request, requestPart, unavailable } from './request.ts';

/** What an ecosystem's list of changes said since a position. */
export interface FeedChanges {
  readonly position: FeedPosition;
  readonly records: readonly OsvRecord[];
  /** Whether there are more changes, which the next reading has. */
  readonly hasMore: boolean;
  /** Changes whose records, or parts of them, cannot be read. */
  readonly problems: readonly string[];
}

interface FeedOptions extends RequestOptions {
  /** ms since 1970. */
  readonly now: number;
}

interface Change {
  readonly id: string;
  readonly time: number;
}

/** The newest changes are at the begin of the list, so that mostly one part is read. */
const PART_BYTES = 65_536;
const MAX_PARTS = 256;
/** Changes of one reading; the next one goes on. */
const MAX_CHANGES = 1_000;
/** More changes than these are a reason to import everything again. */
const MAX_FOLLOWED = 100_000;
/** The list is not in the order in which changes appear in it: a change is found within this time. */
const OVERLAP_MS = 3_600_000;
/** A record that cannot be read is requested again for this time. */
const OPEN_MS = 24 * 3_600_000;
const MAX_OPEN = 1_000;
const MAX_AHEAD_MS = 24 * 3_600_000;
const CONCURRENCY = 8;
const LINE = /^([^,\s]{10,40}),(?:[^,\s/]+\/)?([A-Za-z0-9][\w.:+-]{0,127})$/;

/**
 * Reads what changed in an ecosystem since a position: `<url>/<ecosystem>/modified_id.csv` lists changes, the newest first, and
 * `<url>/<ecosystem>/<id>.json` are the records, as OSV publishes them. Throws `AdvisoryError` (`unavailable`) when the list cannot be
 * read; a record that cannot be read is requested again by the next reading.
 */
export async function readFeed(
  url: string,
  ecosystem: string,
  position: FeedPosition,
  options: FeedOptions,
): Promise<FeedChanges> {
  const base = `${url.replace(/\/$/, '')}/${encodeURIComponent(ecosystem)}`;
  const { now } = options;
  const readAt = new Date(now).toISOString();
  const listed = await readList(`${base}/modified_id.csv`, position, options);
  const known = { ...position.recent };
  const fresh = (listed?.changes ?? [])
    .filter(({ id, time }) => time <= now + MAX_AHEAD_MS && Date.parse(known[id] ?? '') !== time)
    .sort((one, other) => one.time - other.time);
  const taken = fresh.slice(0, MAX_CHANGES);
  const wanted = new Map([
    ...Object.entries(position.open).map(([id, time]) => [id, Date.parse(time)] as const),
    ...taken.map(({ id, time }) => [id, time] as const),
  ]);
  const problems =
    listed?.isWhole === false && listed.changes.length > MAX_FOLLOWED
      ? [`more than ${MAX_FOLLOWED} changes: import the advisories of ${ecosystem} again`]
      : [];
  const records: OsvRecord[] = [];
  const open: Record<string, string> = {};
  const limit = pLimit(CONCURRENCY);
  const read = async (id: string, time: number): Promise<void> => {
    try {
      const { problems: parts, ...record } = await readRecord(`${base}/${id}.json`, id, options);
      records.push(record);
      for (const part of parts) problems.push(`${id}: ${part}`);
    } catch (error) {
      options.signal.throwIfAborted();
      problems.push(`${id}: ${messageOf(error)}`);
      if (time > now - OPEN_MS && Object.keys(open).length < MAX_OPEN)
        open[id] = new Date(time).toISOString();
    }
  };
  await Promise.all(Array.from(wanted, ([id, time]) => limit(() => read(id, time))));
  const until = Math.max(
    Date.parse(position.until),
    ...taken.flatMap(({ time }) => (time <= now ? time : [])),
  );
  const recent = [
    ...Object.entries(known),
    ...taken.map(({ id, time }) => [id, new Date(time).toISOString()] as const),
  ];
  const isWhole = fresh.length === taken.length && listed?.isWhole !== false;
  const etag = listed === undefined ? position.etag : isWhole ? listed.etag : undefined;
  return {
    position: {
      until: new Date(until).toISOString(),
      readAt,
      ...(etag === undefined ? {} : { etag }),
      recent: Object.fromEntries(recent.filter(([, time]) => Date.parse(time) >= until - OVERLAP_MS)),
      open,
    },
    records,
    hasMore: !isWhole,
    problems,
  };
}

/** Where the list of an ecosystem is read from first: its newest imported advisory; without any, changes count from now on (ms since 1970). */
export function firstPosition(coverage: readonly Coverage[], ecosystem: string, now: number): FeedPosition {
  const known = coverage.find(({ system }) => system === osvSystem(ecosystem));
  const until = Math.min(now, known === undefined ? now : Date.parse(known.asOf));
  return { until: new Date(until).toISOString(), readAt: new Date(now).toISOString(), recent: {}, open: {} };
}

interface ListedChanges {
  readonly changes: readonly Change[];
  readonly etag: string | undefined;
  /** Whether these are all changes since the position. */
  readonly isWhole: boolean;
}

/** The changes since a position, and a while before it; `undefined` when the list is the one that was read last. */
async function readList(
  url: string,
  { until, etag }: FeedPosition,
  options: FeedOptions,
): Promise<ListedChanges | undefined> {
  const oldest = Date.parse(until) - OVERLAP_MS;
  const changes: Change[] = [];
  let rest = '';
  let listed: string | undefined;
  for (let part = 0; part < MAX_PARTS; part += 1) {
    const { status, body, headers } = await readPart(url, part, part === 0 ? etag : undefined, options);
    if (status === 304) return undefined;
    // The list was replaced meanwhile; the next reading has the other one.
    if (part > 0 && headers['etag'] !== listed) return { changes, etag: undefined, isWhole: false };
    listed = headers['etag'];
    const lines = (rest + body.toString('utf8')).split('\n');
    const isLast = status !== 206 || body.length < PART_BYTES;
    rest = isLast ? '' : (lines.pop() ?? '');
    const found = lines.flatMap(changeIn);
    changes.push(...found.filter(({ time }) => time > oldest));
    if (isLast || found.some(({ time }) => time <= oldest)) return { changes, etag: listed, isWhole: true };
  }
  return { changes, etag: undefined, isWhole: false };
}

/** A part of the list; empty after its end. */
async function readPart(url: string, part: number, etag: string | undefined, options: FeedOptions) {
  const bounds = { from: part * PART_BYTES, bytes: PART_BYTES };
  const condition: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
  const answer = await requestPart(url, bounds, condition, options);
  if (answer.status === 416) return { ...answer, body: Buffer.alloc(0) };
  if (![200, 206, 304].includes(answer.status)) throw unavailable(url, `HTTP ${answer.status}`);
  return answer;
}

function changeIn(line: string): readonly Change[] {
  const [, text = '', id = ''] = LINE.exec(line.trim()) ?? [];
  const time = Date.parse(text);
  return Number.isNaN(time) ? [] : [{ id, time }];
}

/** Requests and reads a record. Throws an error that says why it cannot be read. */
async function readRecord(url: string, id: string, options: FeedOptions) {
  const { status, body } = await request(url, {}, options);
  if (status !== 200) throw unavailable(url, `HTTP ${status}`);
  const record = readOsvRecord(JSON.parse(body.toString('utf8')));
  if (record.id !== id) throw new Error(`the record at its address is ${record.id}`);
  return record;
}
