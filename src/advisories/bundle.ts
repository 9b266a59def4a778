import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline as connect, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { openFile } from '../files/open-file.ts';
import { readFile } from '../files/read-file.ts';
import { type OsvRecord, osvRecordSchema } from '../model/advisories/osv-record.ts';
import { messageOf } from '../model/errors.ts';
import type { Feed } from '../model/exploits/exploit-data.ts';
import { feedHeadSchema } from '../model/exploits/feed-head.ts';
import { SYSTEMS } from '../model/lockfile/ecosystem.ts';
import type { Coverage } from './database.ts';
import { AdvisoryError } from './errors.ts';

/** The statement of a bundle about itself. */
export type BundleHead = z.infer<typeof headSchema>;

const headSchema = z.strictObject({
  lockhound: z.literal('bundle'),
  format: z.literal(1),
  /** RFC 3339. */
  createdAt: z.iso.datetime(),
  /** RFC 3339: it has only the advisories that changed since. Absent: it has all. */
  since: z.iso.datetime().optional(),
  advisories: z.int().nonnegative(),
  coverage: z.array(
    z.strictObject({
      system: z.enum(SYSTEMS),
      records: z.int().nonnegative(),
      asOf: z.string(),
      importedAt: z.string(),
      source: z.string(),
    }),
  ),
  /** The lists about exploitation, which follow before the advisories. */
  lists: z.array(feedHeadSchema),
  /** SHA-256 of the rest of the file, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export interface BundleContent {
  readonly coverage: readonly Coverage[];
  readonly lists: readonly Feed[];
  readonly records: Iterable<OsvRecord>;
}

/** A bundle that was opened: its content is only read once. `isVerified`: whether a key was given, and signed it. */
export type OpenedBundle = Awaited<ReturnType<typeof openBundle>>;

const MAX_HEAD_BYTES = 1_048_576;
const NEWLINE = 0x0a;

/**
 * Writes a bundle: a line of JSON with the head, a line with its Ed25519 signature (RFC 8032) in Base64, which is empty without a key, and
 * lines of JSON compressed by Zstandard: the entries of the lists, then the advisories. The file appears when it is complete.
 */
export async function writeBundle(
  path: string,
  { coverage, lists, records }: BundleContent,
  {
    createdAt,
    since,
    key,
  }: {
    readonly createdAt: string;
    readonly since?: string | undefined;
    readonly key?: KeyObject | undefined;
  },
): Promise<BundleHead> {
  const body = `${path}.${process.pid}.body`;
  const begun = `${path}.${process.pid}.tmp`;
  try {
    const hash = createHash('sha256');
    let advisories = 0;
    const count = function* () {
      for (const one of records) {
        advisories += 1;
        yield one;
      }
    };
    const hashed = async function* (blocks: AsyncIterable<Buffer>) {
      for await (const block of blocks) {
        hash.update(block);
        yield block;
      }
    };
    const lines = Readable.from(linesOf(lists, count()));
    await pipeline(lines, createZstdCompress(), hashed, createWriteStream(body));
    const head: BundleHead = {
      lockhound: 'bundle',
      format: 1,
      createdAt,
      ...(since === undefined ? {} : { since }),
      advisories,
      coverage: [...coverage],
      lists: lists.map((list) => list.head),
      sha256: hash.digest('hex'),
    };
    const text = Buffer.from(JSON.stringify(head));
    const signature = key === undefined ? '' : sign(null, text, key).toString('base64');
    await pipeline(
      Readable.from(joined(`${text}\n${signature}\n`, createReadStream(body))),
      createWriteStream(begun, { flush: true }),
    );
    await rename(begun, path);
    return head;
  } finally {
    await Promise.all([rm(body, { force: true }), rm(begun, { force: true })]);
  }
}

async function* joined(first: string, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  yield* rest;
}

/** Some hundred records a piece, so that compression is asked rarely. */
const PIECE_CHARACTERS = 262_144;

function* linesOf(lists: readonly Feed[], records: Iterable<OsvRecord>): Generator<string> {
  for (const { body } of lists) yield `${JSON.stringify(body.toString('base64'))}\n`;
  let piece = '';
  for (const record of records) {
    piece += `${JSON.stringify(record)}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/**
 * Opens a bundle and checks its signature and its content. Throws `AdvisoryError` (`not-verified` when a key is given that did not sign
 * it, `damaged`) and `FileError`.
 */
export async function openBundle(path: string, key?: KeyObject) {
  const { head, signature, text, start } = await readHead(path);
  if (key !== undefined && !verify(null, text, key, signature))
    throw new AdvisoryError('not-verified', `${path}: the key did not sign it`);
  const hash = createHash('sha256');
  for await (const block of createReadStream(path, { start })) hash.update(block as Buffer);
  if (hash.digest('hex') !== head.sha256) throw damaged(path, 'its content has another checksum');
  const lines = linesIn(path, start);
  return {
    head,
    isVerified: key !== undefined,
    async lists() {
      const found: Feed[] = [];
      for (const own of head.lists) {
        const { value } = await lines.next();
        found.push({ head: own, body: Buffer.from(String(parsed(path, z.string(), value)), 'base64') });
      }
      return found;
    },
    async *records() {
      let count = 0;
      for await (const line of lines) {
        count += 1;
        yield parsed(path, osvRecordSchema, line) as OsvRecord;
      }
      if (count !== head.advisories) throw damaged(path, `${count} advisories of ${head.advisories}`);
    },
  };
}

async function readHead(path: string) {
  const { descriptor, size } = await openFile(path);
  const file = createReadStream('', { fd: descriptor, end: Math.min(size, MAX_HEAD_BYTES) });
  const blocks: Buffer[] = [];
  for await (const block of file) blocks.push(block as Buffer);
  const begin = Buffer.concat(blocks);
  const first = begin.indexOf(NEWLINE);
  const second = begin.indexOf(NEWLINE, first + 1);
  if (first < 0 || second < 0) throw damaged(path, 'it does not begin as a bundle');
  const text = begin.subarray(0, first);
  const head = parsed(path, headSchema, text.toString('utf8'));
  const signature = Buffer.from(begin.subarray(first + 1, second).toString('latin1'), 'base64');
  return { head, signature, text, start: second + 1 };
}

async function* linesIn(path: string, start: number): AsyncGenerator<string, undefined> {
  const unpacked = createZstdDecompress();
  connect(createReadStream(path, { start }), unpacked, () => {});
  yield* createInterface({ input: unpacked });
  if (unpacked.errored) throw damaged(path, messageOf(unpacked.errored));
  return undefined;
}

function parsed<Value>(path: string, schema: z.ZodType<Value>, text: unknown): Value {
  try {
    return schema.parse(JSON.parse(String(text)));
  } catch (cause) {
    throw damaged(path, 'a part of it is not what a bundle has', cause);
  }
}

function damaged(path: string, reason: string, cause?: unknown): AdvisoryError {
  return new AdvisoryError('damaged', `${path}: ${reason}`, { cause });
}

/** Reads an Ed25519 key from a PEM file. Throws `AdvisoryError` (`not-verified`) and `FileError`. */
export async function readKey(path: string, kind: 'private' | 'public'): Promise<KeyObject> {
  const pem = await readFile(path, { maxBytes: 65_536 });
  try {
    const key = kind === 'private' ? createPrivateKey(pem) : createPublicKey(pem);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it is a key of type ${key.asymmetricKeyType}`);
    return key;
  } catch (cause) {
    throw new AdvisoryError('not-verified', `${path}: no ${kind} Ed25519 key in PEM: ${messageOf(cause)}`, {
      cause,
    });
  }
}
