import type { Readable } from 'node:stream';
import { SourceError } from '../errors.ts';
import { type Git, runGit } from './git-process.ts';

const MAX_HEADER_BYTES = 1_024;

/** Sizes of blobs in bytes; blobs that the folder does not hold are absent. */
export async function blobSizes(git: Git, oids: Iterable<string>): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const wanted = [...oids];
  if (wanted.length === 0) return sizes;
  await runGit(git, ['cat-file', '--batch-check'], {
    input: lines(wanted),
    read: async (output) => {
      let rest = '';
      for await (const chunk of output as AsyncIterable<Buffer>) {
        const parts = (rest + chunk.toString('latin1')).split('\n');
        rest = parts.pop() ?? '';
        for (const part of parts) {
          const [, oid, size] = /^([0-9a-f]+) blob (\d+)$/.exec(part) ?? [];
          if (oid !== undefined) sizes.set(oid, Number(size));
        }
      }
    },
  });
  return sizes;
}

/** Gets the blobs that the folder does not hold yet, in one request. */
export async function requireBlobs(git: Git, oids: readonly string[]): Promise<void> {
  if (git.isLocal === true) return;
  const known = await blobSizes(git, oids);
  const missing = oids.filter((oid) => !known.has(oid));
  if (missing.length === 0) return;
  const args = [
    '-c',
    'fetch.negotiationAlgorithm=noop',
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
  ];
  await runGit(git, [...args, '--stdin', 'origin'], { input: lines(missing), read: ignored });
}

/**
 * Reads blobs that the folder holds, one after the other; the next is not read before `visit` is done. The caller knows their
 * sizes.
 */
export async function readBlobs(
  git: Git,
  oids: readonly string[],
  visit: (oid: string, content: Buffer) => Promise<void>,
): Promise<void> {
  if (oids.length === 0) return;
  await runGit(git, ['cat-file', '--batch'], {
    input: lines(oids),
    read: async (output) => {
      const bytes = byteReader(git.what, output);
      for (;;) {
        const header = await bytes.line();
        if (header === undefined) return;
        const [, oid, size] = /^([0-9a-f]+) blob (\d+)$/.exec(header) ?? [];
        if (oid === undefined) throw new SourceError('failed', `${git.what}: git cannot read ${header}`);
        const content = await bytes.take(Number(size));
        await bytes.take(1);
        await visit(oid, content);
      }
    },
  });
}

function* lines(oids: readonly string[]): Generator<string> {
  for (const oid of oids) yield `${oid}\n`;
}

async function ignored(output: Readable): Promise<void> {
  for await (const _ of output);
}

/** Reads lines and counted bytes from a stream. */
function byteReader(what: string, output: Readable) {
  const chunks = (output as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const next = await chunks.next();
    if (next.done === true) return false;
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    return true;
  };
  const ended = () =>
    new SourceError('failed', `${what}: the output of git ended early`, { retryable: true });
  return {
    async line(): Promise<string | undefined> {
      let end = rest.indexOf(10);
      while (end < 0) {
        if (rest.length > MAX_HEADER_BYTES) throw ended();
        if (!(await more())) {
          if (rest.length > 0) throw ended();
          return undefined;
        }
        end = rest.indexOf(10);
      }
      const text = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + 1);
      return text;
    },
    async take(size: number): Promise<Buffer> {
      const content = Buffer.allocUnsafeSlow(size);
      let filled = 0;
      while (filled < size) {
        if (rest.length === 0 && !(await more())) throw ended();
        const copied = rest.copy(content, filled, 0, size - filled);
        rest = rest.subarray(copied);
        filled += copied;
      }
      return content;
    },
  };
}

/** Reads single blobs, in the order of the calls. */
export interface BlobReader {
  /** `undefined` for a blob that is larger than `maxBytes`, or that neither the folder nor its server holds. */
  read(oid: string, maxBytes: number): Promise<Buffer | undefined>;
}

/** Runs `use` with one process of git for all blobs that it reads, one after the other. */
export async function withBlobs<Result>(
  git: Git,
  use: (blobs: BlobReader) => Promise<Result>,
): Promise<Result> {
  const requests: string[] = [];
  let wake = Promise.withResolvers<void>();
  let ended = false;
  async function* input(): AsyncGenerator<string> {
    while (!ended || requests.length > 0) {
      const next = requests.shift();
      if (next !== undefined) yield next;
      else await wake.promise;
    }
  }
  const ask = (request: string): void => {
    requests.push(`${request}\n`);
    wake.resolve();
    wake = Promise.withResolvers();
  };
  return await runGit(git, ['cat-file', '--batch-command'], {
    input: input(),
    read: async (output) => {
      const bytes = byteReader(git.what, output);
      const sizeOf = async (): Promise<number | undefined> => {
        const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec((await bytes.line()) ?? '') ?? [];
        return size === undefined ? undefined : Number(size);
      };
      try {
        return await use({
          async read(oid, maxBytes) {
            ask(`info ${oid}`);
            let size = await sizeOf();
            if (size === undefined && git.isLocal !== true) {
              await requireBlobs(git, [oid]);
              ask(`info ${oid}`);
              size = await sizeOf();
            }
            if (size === undefined || size > maxBytes) return undefined;
            ask(`contents ${oid}`);
            if ((await sizeOf()) !== size)
              throw new SourceError('failed', `${git.what}: git cannot read ${oid}`);
            const content = await bytes.take(size);
            await bytes.take(1);
            return content;
          },
        });
      } finally {
        ended = true;
        wake.resolve();
      }
    },
  });
}
