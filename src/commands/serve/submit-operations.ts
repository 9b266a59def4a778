import { redisUrls } from '../../compose/redis-connection.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { SubmitScan } from '../../model/api/lockhound-api.generated.ts';
import { requireSeen } from '../../operations/context.ts';
import { Refusal } from '../../operations/refusal.ts';
import { createProducer, type ProducedLockfile, type Producer, type ScanRequest } from '../../producer.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import { MultipartBody } from '../../server/api/multipart.ts';
import type { ServeContext } from './serve-context.ts';
import { sourceScans } from './source-scans.ts';

type Own = 'lockhound.scans.submit';

/** Submits scans as any producer does. */
export function submitOperations(context: ServeContext) {
  const { loaded, shared } = context;
  const scans = sourceScans(loaded, shared);
  let producer: Promise<Producer> | undefined;
  const open = (): Promise<Producer> => {
    producer ??= openProducer(loaded);
    producer.catch(() => {
      producer = undefined;
    });
    return producer;
  };
  const operations: Pick<HttpOperations, Own> = {
    async 'lockhound.scans.submit'({ body, principal }) {
      const { source } = body;
      if (source !== undefined) {
        await requireSeen(context, principal, body.target);
        if (body.lockfiles !== undefined)
          throw new Refusal(400, 'invalid-body', 'it has lockfiles and a source');
        const { target: id, labels, scan: named } = body;
        const target = { id, ...(labels === undefined ? {} : { labels }) };
        return { scan: await scans.submit({ target, source, scan: named }) };
      }
      const request = (body as unknown) instanceof MultipartBody ? fromForm(body as never) : fromJson(body);
      await requireSeen(context, principal, request.target.id);
      if (request.lockfiles.length === 0) throw new Refusal(400, 'invalid-body', 'it has no lockfiles');
      const { scan } = await (await open()).enqueue(request);
      return { scan };
    },
  };
  return { operations, close: async () => await (await producer?.catch(() => undefined))?.close() };
}

async function openProducer({ config, secrets }: LoadedConfig): Promise<Producer> {
  const { redis, lockfiles } = config;
  return await createProducer({
    redis: redisUrls(redis.url ?? '', secrets).join(','),
    prefix: redis.prefix,
    shards: redis.shards,
    retentionMs: lockfiles.retention,
    maxBytes: lockfiles.maxBytes,
  });
}

function fromJson({ target, labels, lockfiles = [], partial, scan }: SubmitScan): ScanRequest {
  return {
    target: { id: target, ...(labels === undefined ? {} : { labels }) },
    partial: partial === true,
    ...(scan === undefined ? {} : { scan }),
    lockfiles: lockfiles.map(
      ({ path, format, companions = [], ...file }): ProducedLockfile => ({
        path,
        ...(format === undefined ? {} : { format }),
        ...contentOf(path, file),
        companions: companions.map(({ name, ...companion }) => ({ name, ...contentOf(name, companion) })),
      }),
    ),
  };
}

interface SubmittedContent {
  readonly content?: string | undefined;
  readonly base64?: string | undefined;
}

function contentOf(
  path: string,
  { content, base64 }: SubmittedContent,
): { readonly content: string | Buffer } {
  if (content !== undefined && base64 === undefined) return { content };
  if (base64 !== undefined && content === undefined) return { content: Buffer.from(base64, 'base64') };
  throw new Refusal(400, 'invalid-body', `${path} needs either content or base64`);
}

/** The fields were checked against `SubmitScanForm`. The name of a file is its path. */
function fromForm({ fields, files }: MultipartBody): ScanRequest {
  const one = (name: string): string | undefined => fields.get(name)?.[0];
  const [format, scan] = [one('format'), one('scan')];
  const labels = (fields.get('label') ?? []).map((text): [string, string] => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1)];
  });
  return {
    target: { id: one('target') ?? '', labels: Object.fromEntries(labels) },
    partial: one('partial') === 'true',
    ...(scan === undefined ? {} : { scan }),
    lockfiles: files.map(({ path, content }) => ({
      path,
      content,
      ...(format === undefined ? {} : { format }),
    })),
  };
}
