import type { ScannedImage } from '../model/image/image.ts';
import { newScanId, scanIdOf } from '../model/scan/scan-id.ts';
import type { IngestedLockfile, IngestLockfiles } from './payloads/ingest-lockfiles.ts';

export interface ScanRequest {
  readonly target: { readonly id: string; readonly labels?: Readonly<Record<string, string>> };
  /** May be empty where the scan names an image. */
  readonly lockfiles: readonly ProducedLockfile[];
  /** The container image that the target is, by the chain identifiers of its layers. */
  readonly image?: ScannedImage | undefined;
  /** Id of the scan: the same id of one target is scanned once. Workers add a suffix of the target. Default: a new one. */
  readonly scan?: string | undefined;
  /** When the scan was requested, RFC 3339. Default: now. */
  readonly requestedAt?: string;
  /** These are only some of the lockfiles of the target: findings in the others stay open. Default: all of them. */
  readonly partial?: boolean;
}

/** A lockfile with its content, with a reference to content that is stored already, or unread. */
export type ProducedLockfile = ProducedFile & (ProducedContent | StoredContent);

/** The content of a file, or why it could not be read: the scan then reports it as unread and resolves nothing in it. */
export type ProducedContent =
  | { readonly content: string | Buffer }
  | { readonly unread: { readonly code: string; readonly message: string } };

export interface StoredContent {
  /** SHA-256 of the content, hex. */
  readonly sha256: string;
  /** Size of the content, uncompressed. */
  readonly bytes: number;
}

interface ProducedFile {
  /** Below the target's root, with forward slashes. */
  readonly path: string;
  /** Name of the format; detected when left out. */
  readonly format?: string | undefined;
  /**
   * Companions: files that its format also reads, such as its manifest. Paths are relative to its folder
   * (`../pom.xml`).
   */
  readonly companions?: readonly ({ readonly name: string } & ProducedContent)[];
}

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
      ...('sha256' in file ? { sha256: file.sha256, bytes: file.bytes } : await stored(file, put)),
      format,
      ...(storedCompanions.length === 0 ? {} : { companions: storedCompanions }),
    });
  }
  return {
    scan: scanIdOf(request.target.id, request.scan ?? newScanId()),
    target: { id: request.target.id, labels: { ...request.target.labels } },
    lockfiles,
    ...(request.image === undefined ? {} : { image: request.image }),
    requestedAt: request.requestedAt ?? new Date().toISOString(),
    ...(request.partial === true ? { partial: true } : {}),
  };
}

async function stored(file: ProducedContent, put: PutContent) {
  if ('unread' in file) return { unread: file.unread };
  const { content } = file;
  return await put(typeof content === 'string' ? Buffer.from(content) : content);
}
