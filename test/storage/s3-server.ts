import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const ACCESS = {
  id: 'AKIDEXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  token: 'session',
};
const SKEW_MS = 15 * 60_000;

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * A bucket `ledgers` in `eu-test-1`, in memory. It checks each request by the documentation of Signature Version 4, without the code that
 * signs. `fault`: what it does wrong from now on.
 */
export async function startS3() {
  const objects = new Map<string, Buffer>();
  const log: string[] = [];
  const state: { fault?: 'down' | 'half' | 'silent' } = {};
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const name = decodeURIComponent(request.url ?? '').replace('/ledgers/', '');
    log.push(`${request.method} ${name}`);
    const end = (status: number, code?: string) => {
      const text = code && `<Error><Code>${code}</Code><AWSAccessKeyId>${ACCESS.id}</AWSAccessKeyId></Error>`;
      response.writeHead(status).end(text);
    };
    if (state.fault === 'silent') return;
    if (state.fault === 'down') return end(503, 'SlowDown');
    const refusal = refusalOf(request, body);
    if (refusal !== undefined) return end(403, refusal);
    if (!request.url?.startsWith('/ledgers/')) return end(404, 'NoSuchBucket');
    if (request.method === 'PUT') {
      objects.set(name, state.fault === 'half' ? body.subarray(0, body.length / 2) : body);
      return end(200);
    }
    const content = objects.get(name);
    if (request.method === 'DELETE') objects.delete(name);
    if (request.method === 'DELETE') return end(204);
    if (content === undefined) return end(404, 'NoSuchKey');
    return response.writeHead(200).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    log,
    state,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The code of the error for a request; `undefined` for one that is signed as it has to be. */
function refusalOf({ method, url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/.exec(
      headers.authorization ?? '',
    );
  if (found === null) return 'AccessDenied';
  const [, id, day = '', region = '', signed = '', signature] = found;
  if (id !== ACCESS.id) return 'InvalidAccessKeyId';
  if (region !== 'eu-test-1') return 'AuthorizationHeaderMalformed';
  const date = String(headers['x-amz-date']);
  const at = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!(Math.abs(at - Date.now()) < SKEW_MS) || !date.startsWith(day)) return 'RequestTimeTooSkewed';
  const names = signed.split(';');
  for (const required of ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])
    if (headers[required] !== undefined && !names.includes(required)) return 'AccessDenied';
  const digest = String(headers['x-amz-content-sha256']);
  if (digest !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    ...[method, path, query],
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    ...['', signed, digest],
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${ACCESS.secret}`, day));
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}
