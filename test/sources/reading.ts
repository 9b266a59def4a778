import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicAddressesOnly } from '../../src/http/address-guard.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import type { SourceReading, SourceRevision } from '../../src/model/watch/source.ts';
import { targetSourceSchema } from '../../src/model/watch/source.ts';
import { createSourceReader, type SourceReaderOptions } from '../../src/sources/source-reader.ts';

export const WORK_FOLDER = mkdtempSync(join(tmpdir(), 'sources-'));

/** Reads sources, and keeps what is stored. */
export function sourceRoom(changes: Partial<SourceReaderOptions> & { readonly maxBytes?: number } = {}) {
  const stored = new Map<string, Buffer>();
  const guard = changes.guard ?? publicAddressesOnly(['127.0.0.1']);
  const { maxBytes = 10_000_000 } = changes;
  const timeoutMs = changes.timeoutMs ?? 30_000;
  const http = createHttpClient({ guard, totalTimeoutMs: timeoutMs, maxResponseBytes: maxBytes });
  const read = createSourceReader({
    async put(content) {
      const sha256 = createHash('sha256').update(content).digest('hex');
      stored.set(sha256, content);
      return { sha256, bytes: content.length };
    },
    credentials: new Map(),
    inherited: { PATH: process.env['PATH'] ?? '' },
    workFolder: WORK_FOLDER,
    maxRepositoryBytes: 1_000_000_000,
    limits: { maxLockfileBytes: maxBytes, maxTotalBytes: 1_000_000_000 },
    timeoutMs,
    ...changes,
    http,
    guard,
  });
  return {
    read: (source: object, known?: SourceRevision, signal = new AbortController().signal) =>
      read(targetSourceSchema().parse(source), known, signal),
    /** Paths with contents, or the code of why they are unread; companions are indented. */
    listed(reading: SourceReading | 'unchanged'): readonly string[] {
      if (reading === 'unchanged') return ['unchanged'];
      const text = (one: SourceReading['files'][number] | { readonly unread: { readonly code: string } }) =>
        'unread' in one
          ? `[${one.unread.code}]`
          : (stored.get(one.sha256)?.toString().slice(0, 40) ?? 'lost');
      return reading.files.flatMap((file) => [
        `${file.path}: ${text(file)}`,
        ...(file.companions ?? []).map((own) => `  ${own.name}: ${text(own as never)}`),
      ]);
    },
    close: () => http.close(),
  };
}
