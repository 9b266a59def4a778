import pLimit from 'p-limit';
import type { HttpResponse } from '../http/client.ts';
import { printableUrl } from '../http/errors.ts';
import type { FeedPosition, OsvRecord } from '../model/advisories/osv-record.ts';
import { MAX_AHEAD_MS, osvSystem } from '../model/advisories/osv-record.ts';
import { defined } from '../model/defined.ts';
import { messageOf } from '../model/errors.ts';
import type { Coverage } from './database.ts';
import { AdvisoryError } from './errors.ts';
import { readOsvRecord, type WholeRecord } from './osv-record.ts';
import { type RequestOptions, request, requestPart, unavailable } from './request.ts';

/** The changes that an ecosystem's list has since a position. */
export interface FeedChanges {
  readonly position: FeedPosition;
  readonly records: readonly WholeRecord[];
  /** Whether there are more changes, which the next reading has. */
  readonly hasMore: boolean;
  /** Changes whose records, or parts of them, cannot be read. */
  readonly problems: readonly string[];
}

interface FeedOptions extends RequestOptions {
  /** ms since 1970. */
  readonly now: number;
  /** Time for its records, in ms. Default: two minutes. */
  readonly recordsMs?: number;
}

interface Change {
  readonly id: string;
  readonly time: number;
}

/** The newest changes are at the begin of the list, so that mostly one part is read. */
const PART_BYTES = 65_536;
const MAX_PARTS = 256;
const MAX_BYTES = MAX_PARTS * PART_BYTES;
/** Time for the records of one reading, in ms. Those that were not read then are requested by the next one. */
const RECORDS_MS = 120_000;
/** Changes of one reading; the next one goes on. */
const MAX_CHANGES = 1_000;
/** More changes than these are a reason to import everything again. */
const MAX_FOLLOWED = 100_000;
/** The list is not in the order in which changes appear in it: a change is found within this time. */
const OVERLAP_MS = 3_600_000;
/** A record that cannot be read is requested by each reading for this time, and later by some of them. */
const OPEN_MS = 24 * 3_600_000;
const MAX_OPEN = 2_000;
const MAX_OLD_OPEN = 8;
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
  const list = `${base}/modified_id.csv`;
  const listed = await readList(list, position, options);
  const known = { ...position.recent };
  const ahead = (listed?.changes ?? []).filter(({ time }) => time > now + MAX_AHEAD_MS);
  const fresh = (listed?.changes ?? [])
    .filter(({ id, time }) => time <= now + MAX_AHEAD_MS && Date.parse(known[id] ?? '') !== time)
    .sort((one, other) => one.time - other.time);
  if (fresh.length > MAX_FOLLOWED)
    throw new AdvisoryError(
      'too-large',
      `${printableUrl(list)}: more than ${MAX_FOLLOWED} changes: import the advisories of ${ecosystem} again`,
    );
  // What cannot be read is kept, so that nothing is forgotten because of it.
  const asked = Object.entries(position.open).map(([id, time]) => [id, Date.parse(time)] as const);
  const isOld = ([, since]: readonly [string, number]) => since <= now - OPEN_MS;
  const [old, young] = [asked.filter(isOld), asked.filter((one) => !isOld(one))];
  const room = MAX_OPEN - young.length;
  const taken = fresh.slice(0, Math.min(MAX_CHANGES, room));
  // Since when each is requested: after an outage, changes are old when they are requested for the first time.
  const wanted = new Map([
    ...old.slice(0, MAX_OLD_OPEN),
    ...young,
    ...taken.map(({ id }) => [id, now] as const),
  ]);
  const fault = listed === undefined ? position.fault : faultOf(ahead);
  const problems = fault === undefined || listed === undefined ? [] : [fault];
  const inTime = AbortSignal.any([options.signal, AbortSignal.timeout(options.recordsMs ?? RECORDS_MS)]);
  const records: OsvRecord[] = [];
  // Those that are not requested now come first the next time.
  const open: Record<string, string> = Object.fromEntries(
    old
      .slice(MAX_OLD_OPEN)
      .flatMap(([id, since]) => (wanted.has(id) ? [] : [[id, new Date(since).toISOString()]])),
  );
  const limit = pLimit(CONCURRENCY);
  const read = async (id: string, since: number): Promise<void> => {
    try {
      const { problems: parts, ...record } = await readRecord(`${base}/${id}.json`, id, {
        ...options,
        signal: inTime,
      });
      records.push(record);
      for (const part of parts) problems.push(`${id}: ${part}`);
    } catch (error) {
      options.signal.throwIfAborted();
      problems.push(`${id}: ${messageOf(error)}`);
      open[id] = new Date(since).toISOString();
    }
  };
  await Promise.all(Array.from(wanted, ([id, since]) => limit(() => read(id, since))));
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
      ...defined({ fault }),
    },
    records,
    hasMore: !isWhole,
    problems,
  };
}

/** The fault of a list that was read. */
function faultOf(ahead: readonly Change[]): string | undefined {
  const [first] = ahead;
  if (first === undefined) return undefined;
  const when = new Date(first.time).toISOString();
  return `${ahead.length} changes are of a time that has not come, among them ${first.id} of ${when}`;
}

/** The later one of two positions: an import may have come after the last reading. */
export function laterPosition(stored: FeedPosition | undefined, first: FeedPosition): FeedPosition {
  return stored === undefined || Date.parse(stored.until) < Date.parse(first.until) ? first : stored;
}

/**
 * The position from which the list of an ecosystem is read first: its newest imported advisory; without any, changes count from now on (ms
 * since 1970).
 */
export function firstPosition(coverage: readonly Coverage[], ecosystem: string, now: number): FeedPosition {
  const known = coverage.find(({ system }) => system === osvSystem(ecosystem));
  const until = Math.min(now, known === undefined ? now : Date.parse(known.asOf));
  return { until: new Date(until).toISOString(), readAt: new Date(now).toISOString(), recent: {}, open: {} };
}

/**
 * The changes since a position, and a while before it; `undefined` when the list is the one that was read last. `isWhole`: whether these
 * are all changes since the position.
 */
async function readList(url: string, position: FeedPosition, options: FeedOptions) {
  const { until, etag } = position;
  const oldest = Date.parse(until) - OVERLAP_MS;
  const changes: Change[] = [];
  let rest = '';
  let listed: string | undefined;
  for (let part = 0; part < MAX_PARTS; part += 1) {
    const { status, body, headers } = await readPart(url, part, part === 0 ? etag : undefined, options);
    if (status === 304) return undefined;
    // The list was replaced meanwhile; the next reading has the other one.
    if (part > 0 && headers['etag'] !== listed) break;
    listed = headers['etag'];
    const read = linesIn({ status, body }, rest);
    const found = read.lines.flatMap(changeIn);
    if (part === 0) requireList(url, found, read.lines.length, position);
    for (const one of found) if (one.time > oldest) changes.push(one);
    if (read.isCut) break;
    if (read.isLast || endsBefore(oldest, found)) return { changes, etag: listed, isWhole: true };
    rest = read.rest;
  }
  return { changes, etag: undefined, isWhole: false };
}

/** The lines of a part of a list, after the rest of the part before. A server without ranges answers with all of it at once. */
function linesIn({ status, body }: Pick<HttpResponse, 'status' | 'body'>, before: string) {
  const bytes = body.subarray(0, MAX_BYTES);
  const lines = (before + bytes.toString('utf8')).split('\n');
  const isLast = status !== 206 || body.length < PART_BYTES;
  return { rest: isLast ? '' : (lines.pop() ?? ''), lines, isLast, isCut: bytes.length < body.length };
}

/** Whether most changes of a part are older: one with a wrong time is no end. */
function endsBefore(oldest: number, found: readonly Change[]): boolean {
  return 2 * found.filter(({ time }) => time <= oldest).length > found.length;
}

/** Throws `AdvisoryError` for what is no list of changes, and for one of an earlier time than the last one. */
function requireList(
  url: string,
  found: readonly Change[],
  lines: number,
  { until, recent }: FeedPosition,
): void {
  if (2 * found.length < lines - 1 || found.length === 0) throw unavailable(url, 'it is no list of changes');
  const newest = found.reduce((time, one) => Math.max(time, one.time), 0);
  if (Object.keys(recent).length > 0 && newest < Date.parse(until) - OVERLAP_MS)
    throw unavailable(url, `it goes back: its newest change is of ${new Date(newest).toISOString()}`);
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
