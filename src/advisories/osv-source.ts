import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { toFileError } from '../files/errors.ts';
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

/** In the order of their names. */
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

async function* zipped(path: string): AsyncGenerator<RecordText> {
  const { openPromise } = await import('yauzl');
  const zip = await openPromise(path).catch((cause: unknown) => {
    throw new AdvisoryError('damaged', `${path}: not a ZIP file that can be read: ${messageOf(cause)}`, {
      cause,
    });
  });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!/\.json$/i.test(entry.fileName)) continue;
      const where = `${path}#${entry.fileName}`;
      if (entry.uncompressedSize > MAX_RECORD_BYTES) yield { where, text: undefined };
      else yield { where, text: await textOf(await zip.openReadStreamPromise(entry)) };
    }
  } catch (cause) {
    throw new AdvisoryError('damaged', `${path}: ${messageOf(cause)}`, { cause });
  } finally {
    zip.close();
  }
}

async function textOf(content: Readable): Promise<string> {
  const blocks: Buffer[] = [];
  for await (const block of content) blocks.push(block);
  return Buffer.concat(blocks).toString('utf8');
}
