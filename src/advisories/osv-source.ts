import { createReadStream, readSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { crc32, createGunzip, inflateRawSync } from 'node:zlib';
import type { Entry } from 'yauzl';
import { toFileError } from '../files/errors.ts';
import { close } from '../files/file-system.ts';
import { openFile } from '../files/open-file.ts';
import { readFile } from '../files/read-file.ts';
import { messageOf } from '../model/errors.ts';
import { AdvisoryError } from './errors.ts';

/** The text of one record, and where it stands. */
export interface RecordText {
  readonly where: string;
  /** `undefined` for one that is too large. */
  readonly text: string | undefined;
}

/** The largest records have 3 MB: they list thousands of versions. */
const MAX_RECORD_BYTES = 16_777_216;

/**
 * The records of a source: a folder of JSON files (also in folders below it), a ZIP file as OSV publishes it for each ecosystem, a file
 * with one record or a list of them, or one with a record on each line, also compressed by gzip. Throws `FileError` and `AdvisoryError`
 * (`damaged`).
 */
export async function* osvRecords(path: string): AsyncGenerator<RecordText> {
  const found = await stat(path).catch((error: unknown) => {
    throw toFileError(path, error);
  });
  if (found.isDirectory()) {
    for (const name of await filesBelow(path)) yield* osvRecords(join(path, name));
    return;
  }
  const name = path.replace(/\.gz$/i, '');
  const extension = extname(name).toLowerCase();
  if (extension === '.zip') yield* zipped(path);
  else if (extension === '.ndjson' || extension === '.jsonl') yield* lines(path, name !== path);
  else yield* documents(path);
}

const RECORD_FILE = /\.(?:json|zip|(?:ndjson|jsonl)(?:\.gz)?)$/i;

/** The files below a folder, in the order of their names. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => RECORD_FILE.test(name)).sort();
}

/** A file with one record or a list of them. */
async function* documents(path: string): AsyncGenerator<RecordText> {
  const text = (await readFile(path, { maxBytes: MAX_RECORD_BYTES })).toString('utf8');
  if (!/^\s*\[/.test(text)) return yield { where: path, text };
  let list: readonly unknown[];
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw new AdvisoryError('damaged', `${path}: ${messageOf(cause)}`, { cause });
  }
  for (const [index, one] of list.entries()) yield { where: `${path}[${index}]`, text: JSON.stringify(one) };
}

async function* lines(path: string, isCompressed: boolean): AsyncGenerator<RecordText> {
  const { descriptor } = await openFile(path);
  const content = createReadStream('', { fd: descriptor });
  const unpacked = isCompressed ? createGunzip() : undefined;
  if (unpacked !== undefined) pipeline(content, unpacked, () => {});
  let number = 0;
  try {
    for await (const text of createInterface({ input: unpacked ?? content })) {
      number += 1;
      if (text.trim() !== '')
        yield { where: `${path}:${number}`, text: text.length > MAX_RECORD_BYTES ? undefined : text };
    }
    // The interface ends without an error where the stream is damaged.
    if (unpacked?.errored) throw unpacked.errored;
  } catch (cause) {
    throw new AdvisoryError('damaged', `${path}:${number}: ${messageOf(cause)}`, { cause });
  } finally {
    content.destroy();
  }
}

/** Entries are read in one step each: a stream for each of them takes four times as long. */
async function* zipped(path: string): AsyncGenerator<RecordText> {
  const { openPromise } = await import('yauzl');
  const { descriptor } = await openFile(path);
  try {
    const zip = await openPromise(path);
    for await (const entry of zip.eachEntry()) {
      if (!/\.json$/i.test(entry.fileName)) continue;
      const isTooLarge = Math.max(entry.uncompressedSize, entry.compressedSize) > MAX_RECORD_BYTES;
      const text = isTooLarge ? undefined : contentOf(descriptor, entry).toString('utf8');
      yield { where: `${path}#${entry.fileName}`, text };
    }
  } catch (cause) {
    throw new AdvisoryError('damaged', `${path}: ${messageOf(cause)}`, { cause });
  } finally {
    await close(descriptor);
  }
}

const LOCAL_HEADER_BYTES = 30;

/** The content of an entry, after its local header (APPNOTE 4.3.7). Throws when it is encrypted, packed in another way, or damaged. */
function contentOf(descriptor: number, entry: Entry): Buffer {
  const {
    fileName,
    relativeOffsetOfLocalHeader: at,
    compressedSize,
    uncompressedSize,
    compressionMethod,
  } = entry;
  const header = bytesAt(descriptor, at, LOCAL_HEADER_BYTES);
  const start = at + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const stored = bytesAt(descriptor, start, compressedSize);
  if (entry.isEncrypted() || (compressionMethod !== 0 && compressionMethod !== 8))
    throw new Error(`${fileName}: encrypted, or compressed in another way than by Deflate`);
  const content =
    compressionMethod === 0 ? stored : inflateRawSync(stored, { maxOutputLength: MAX_RECORD_BYTES });
  if (content.length === uncompressedSize && crc32(content) === entry.crc32) return content;
  throw new Error(`${fileName}: its content has another checksum or size`);
}

function bytesAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  if (readSync(descriptor, bytes, 0, length, position) === length) return bytes;
  throw new Error(`it ends before byte ${position + length}`);
}
