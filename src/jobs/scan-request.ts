import { defined } from '../model/defined.ts';
import { newScanId, scanIdOf } from '../model/scan/scan-id.ts';
import type { ProducedContent, ScanRequest, StoredContent } from '../scan/request.ts';
import type { IngestedLockfile, IngestLockfiles } from './payloads/ingest-lockfiles.ts';

/** Stores a content under its hash. */
export type PutContent = (content: Buffer) => Promise<StoredContent>;

/** The payload of a request; `put` stores the contents under their hash. */
export async function scanPayload(request: ScanRequest, put: PutContent): Promise<IngestLockfiles> {
  const lockfiles: IngestedLockfile[] = [];
  for (const file of request.lockfiles) {
    const { path, format, companions = [] } = file;
    const storedCompanions = [];
    for (const { name, ...companion } of companions) {
      storedCompanions.push({ name, ...(await stored(companion, put)) });
    }
    lockfiles.push({
      path,
      ...(await stored(file, put)),
      format,
      ...(storedCompanions.length === 0 ? {} : { companions: storedCompanions }),
    });
  }
  return {
    scan: scanIdOf(request.target.id, request.scan ?? newScanId()),
    target: { id: request.target.id, labels: { ...request.target.labels } },
    lockfiles,
    ...defined({ image: request.image }),
    requestedAt: request.requestedAt ?? new Date().toISOString(),
    ...(request.partial === true ? { partial: true } : {}),
  };
}

async function stored(file: ProducedContent | StoredContent, put: PutContent) {
  if ('unread' in file) return { unread: file.unread };
  if ('sha256' in file) return { sha256: file.sha256, bytes: file.bytes };
  const { content } = file;
  return await put(typeof content === 'string' ? Buffer.from(content) : content);
}
