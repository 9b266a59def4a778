import { sealEnvelope } from '../../jobs/envelope.ts';
import { jobIdOf } from '../../jobs/job.ts';
import { contentOf, withOwnId } from '../../jobs/payloads/fields.ts';
import { SCAN_SOURCE } from '../../jobs/payloads/sources.ts';
import type { SubmittedSource } from '../../model/api/lockhound-api.generated.ts';
import { newScanId } from '../../model/scan/scan-id.ts';
import { type TargetSource, targetSourceSchema } from '../../model/watch/source.ts';
import { readPlainUrl } from '../../model/watch/source-url.ts';
import { matchesWildcard } from '../../model/wildcard.ts';
import type { OperationContext } from '../context.ts';
import { Refusal } from '../refusal.ts';

export interface SourceScan {
  readonly target: { readonly id: string; readonly labels?: Readonly<Record<string, string>> };
  readonly source: SubmittedSource;
  /** Default: a new one. The same id is scanned once. */
  readonly scan?: string | undefined;
}

/**
 * Queues the scan of a source that the configuration allows (`serve.sources`), and resolves to its id. Workers read it, as they read those
 * of schedules. Throws `Refusal` for a source that is not allowed or not valid, `EnvelopeError` for a target or an id, and `StoreError`
 * (`scan-exists`) for the id of another scan.
 */
export async function submitSource(
  { loaded, fleet }: Pick<OperationContext, 'loaded' | 'fleet'>,
  { target, source, scan = newScanId() }: SourceScan,
): Promise<string> {
  const given = plainUrl(source.url);
  const address = given.href;
  const allowed = loaded.config.serve.sources.find(({ url }) => fits(url, given));
  if (allowed === undefined)
    throw new Refusal(403, 'source-not-allowed', `no entry of serve.sources fits ${address}`);
  const { id, labels = {} } = target;
  const payload = withOwnId({
    scan,
    target: { id, labels: { ...labels } },
    source: checked(targetSource(source, address, allowed.credentials)),
    requestedAt: new Date().toISOString(),
  });
  const { name } = SCAN_SOURCE;
  const envelope = sealEnvelope(SCAN_SOURCE, payload);
  const shard = fleet.of(id);
  await shard.claimRequest({ scan: payload.scan, content: contentOf(payload) });
  await (await fleet.queueOf(shard, name)).add(name, envelope, { jobId: jobIdOf(name, envelope.key) });
  return payload.scan;
}

/** The URL in the form that goes on to a worker. Throws `Refusal` for one that others may read as another. */
function plainUrl(text: string): URL {
  const url = readPlainUrl(text);
  if ('expected' in url)
    throw new Refusal(400, 'invalid-body', `the URL of a source: expected ${url.expected}`);
  return url;
}

/** Whether a pattern fits a URL. A `*` before a query does not match into it. */
function fits(pattern: string, { href, origin, pathname }: URL): boolean {
  const isFitting = matchesWildcard(pattern, href);
  return isFitting && (pattern.includes('?') || matchesWildcard(pattern, origin + pathname));
}

/** Throws `Refusal` for a ref or a name that workers would refuse. */
function checked(source: TargetSource): TargetSource {
  const parsed = targetSourceSchema().safeParse(source);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal(400, 'invalid-body', `source.${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

function targetSource(source: SubmittedSource, url: string, credentials: string | undefined): TargetSource {
  const own = credentials === undefined ? {} : { credentials };
  if (source.kind === 'git')
    return { kind: 'git', repository: url, ref: source.ref ?? 'HEAD', exclude: [], ...own };
  const { file, format } = source;
  return { kind: 'url', url, ...own, ...(file && { file }), ...(format && { format }) };
}
