import type { FleetStore } from '../../compose/fleet-store.ts';
import { sealEnvelope } from '../../jobs/envelope.ts';
import { jobIdOf } from '../../jobs/job.ts';
import { contentOf } from '../../jobs/payloads/fields.ts';
import { INGEST_LOCKFILES, scanPayload } from '../../jobs/payloads/ingest-lockfiles.ts';
import { releaseOf } from '../../jobs/payloads/release.ts';
import type { ScannedImage } from '../../model/image/image.ts';
import type { ProducedContent, ScanRequest } from '../../scan/read.ts';
import { requireLayout } from '../../store/shards/shard-layout.ts';
import { firstShard, requireSeen } from '../context.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';
import { submitSource } from './source-scan.ts';

/** A lockfile of a request, or a file beside it. */
interface SubmittedContent {
  readonly content?: string | undefined;
  readonly base64?: string | undefined;
  readonly unread?: { readonly code: string; readonly message: string } | undefined;
  /** The content as bytes, of a form. */
  readonly bytes?: Buffer;
}

/** Queues a scan, as any producer does: of lockfiles, of an image, or of a source that workers read. */
export const submit: Operation<'lockhound.scans.submit'> = async ({ body, principal }, context) => {
  const { target: id, labels, source, lockfiles = [], image, partial, scan, release, supportedUntil } = body;
  await requireSeen(context, principal, id);
  const target = { id, ...(labels === undefined ? {} : { labels }) };
  if (source !== undefined) {
    if (body.lockfiles !== undefined) throw new Refusal(400, 'invalid-body', 'it has lockfiles and a source');
    if (release !== undefined)
      throw new Refusal(400, 'invalid-body', 'a release has lockfiles, and no source');
    return { scan: await submitSource(context, { target, source, scan }) };
  }
  if (lockfiles.length === 0 && image === undefined)
    throw new Refusal(400, 'invalid-body', 'it has no lockfiles');
  const request: ScanRequest = {
    target,
    lockfiles: lockfiles.map(({ path, format, companions = [], ...file }) => ({
      path,
      ...(format === undefined ? {} : { format }),
      ...contentIn(path, file),
      companions: companions.map(({ name, ...companion }) => ({ name, ...contentIn(name, companion) })),
    })),
    // The schema of the payload checks it.
    image: image as ScannedImage | undefined,
    partial: partial === true,
    scan,
    release,
    supportedUntil,
  };
  return { scan: await enqueue(context.fleet, request) };
};

/** The content of a submitted file, or why there is none. Throws `Refusal` unless one is stated. */
function contentIn(path: string, { content, base64, unread, bytes }: SubmittedContent): ProducedContent {
  const stated = [
    ...(content === undefined ? [] : [{ content }]),
    ...(base64 === undefined ? [] : [{ content: Buffer.from(base64, 'base64') }]),
    ...(unread === undefined ? [] : [{ unread }]),
    ...(Buffer.isBuffer(bytes) ? [{ content: bytes }] : []),
  ];
  const [only] = stated;
  if (only !== undefined && stated.length === 1) return only;
  throw new Refusal(400, 'invalid-body', `${path} needs one of content, base64 and unread`);
}

/** Stores the contents and queues the scan. Resolves to its id. Throws `EnvelopeError` and `StoreError`. */
async function enqueue(fleet: FleetStore, request: ScanRequest): Promise<string> {
  const { blobs, layouts } = firstShard(fleet);
  const requireSameShards = async () => requireLayout(await layouts.read(), fleet.shards.length);
  await requireSameShards();
  const payload = await scanPayload(request, blobs.put);
  const envelope = sealEnvelope(INGEST_LOCKFILES, payload);
  const { name } = INGEST_LOCKFILES;
  const shard = fleet.of(payload.target.id);
  const release = releaseOf(payload);
  if (release !== undefined) await shard.claimRelease({ target: payload.target.id, digest: release.digest });
  await shard.claimRequest({ scan: payload.scan, content: contentOf(payload) });
  await (await fleet.queueOf(shard, name)).add(name, envelope, { jobId: jobIdOf(name, envelope.key) });
  // Otherwise the scan may be on a queue without workers.
  await requireSameShards();
  return payload.scan;
}
