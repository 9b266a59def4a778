/** One stored answer: a line of a shard. */
export interface ShardEntry {
  /** When it was looked up; milliseconds since 1970. */
  readonly at: number;
  /** Until when it is fresh; milliseconds since 1970. */
  readonly until: number;
  /** JSON. */
  readonly text: string;
}

/** Entries by the hash of kind and key. */
export type Shard = Map<string, ShardEntry>;

/** Size of one shard in bytes; all 256 together are 128 MiB. */
export const MAX_SHARD_BYTES = 524_288;
/** A larger answer is not stored. */
export const MAX_ENTRY_CHARACTERS = 131_072;
/** How long answers are kept for scans without network, after which they are removed. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** Changes when the form of the file does. */
const HEADER = 'lockhound look-ups 1\n';
const LINE = /^([0-9a-f]{32}) (\d{1,15}) (\d{1,15}) (.+)$/;

/** Reads a shard. What is cut off, damaged or of another form is left out: it is looked up again. */
export function readShard(text: string): Shard {
  const shard: Shard = new Map();
  if (!text.startsWith(HEADER)) return shard;
  // The last line of a whole file is empty.
  for (const line of text.slice(HEADER.length).split('\n').slice(0, -1)) {
    const [, hash, at, until, own] = LINE.exec(line) ?? [];
    if (hash !== undefined && own !== undefined) {
      shard.set(hash, { at: Number(at), until: Number(until), text: own });
    }
  }
  return shard;
}

/** The text of a shard: the newest entries that fit. Those that are too old, or of the future, are left out. */
export function writeShard(shard: Shard, now: number): string {
  const entries = [...shard]
    .filter(([, { at }]) => at <= now && at > now - KEPT_MS)
    .sort(([, left], [, right]) => right.at - left.at);
  const lines = [HEADER];
  let bytes = HEADER.length;
  for (const [hash, { at, until, text }] of entries) {
    const line = `${hash} ${at} ${until} ${text}\n`;
    bytes += Buffer.byteLength(line);
    if (bytes > MAX_SHARD_BYTES) break;
    lines.push(line);
  }
  return lines.join('');
}

/** The value of an entry; `undefined` when it is damaged. */
export function parsedValue({ text }: ShardEntry): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
