import { hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { HttpClient, HttpResponse } from '../http/client.ts';
import type { ObjectStorage } from '../model/ports/object-storage.ts';
import type { Secret } from '../model/secret.ts';
import { StorageError } from './errors.ts';

export interface S3Options {
  /** URL of the service; the bucket follows in the path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Precedes the names of objects: empty, or ends with `/`. */
  readonly prefix: string;
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret | undefined;
}

/** The part of an error of S3 that is shown: the rest of it may name credentials. */
const CODE = /<Code>(\w{1,64})<\/Code>/;

/**
 * Objects in a bucket of S3, or of a service with its protocol. Requests have a Signature Version 4, with the hash of their content, so
 * that the service refuses a content that was changed on the way. Throws `StorageError` (`refused`), `HttpError` and `ConfigError`.
 */
export function createS3Storage(options: S3Options, http: HttpClient): ObjectStorage {
  const { endpoint, region, bucket, prefix } = options;
  const base = endpoint.endsWith('/') ? endpoint.slice(0, -1) : endpoint;
  const send = async (method: string, name: string, body?: Buffer): Promise<HttpResponse> => {
    const url = `${base}/${bucket}/${prefix}${name}`;
    const sessionToken = options.sessionToken?.reveal();
    const signer = new AwsV4Signer({
      ...{ method, url, region, service: 's3' },
      accessKeyId: options.accessKeyId.reveal(),
      secretAccessKey: options.secretAccessKey.reveal(),
      ...(sessionToken === undefined ? {} : { sessionToken }),
      headers: { 'x-amz-content-sha256': hash('sha256', body ?? '') },
    });
    const { headers } = await signer.sign();
    return await http.send({ method, url, headers: Object.fromEntries(headers), body });
  };
  const refusal = (what: string, { status, body }: HttpResponse): StorageError => {
    const code = CODE.exec(body.subarray(0, 65_536).toString('latin1'))?.[1];
    const answer = `HTTP ${status}${code === undefined ? '' : ` ${code}`}`;
    return new StorageError('refused', `bucket ${bucket}: an object cannot be ${what}: ${answer}`);
  };
  const isMissing = ({ status, body }: HttpResponse) =>
    status === 404 && CODE.exec(body.toString('latin1'))?.[1] === 'NoSuchKey';
  return {
    async put(name, content) {
      const answer = await send('PUT', name, content);
      if (answer.status !== 200) throw refusal('written', answer);
    },
    async get(name) {
      const answer = await send('GET', name);
      if (answer.status === 200) return answer.body;
      if (isMissing(answer)) return undefined;
      throw refusal('read', answer);
    },
    async remove(name) {
      const answer = await send('DELETE', name);
      if (answer.status !== 204 && answer.status !== 200 && !isMissing(answer))
        throw refusal('removed', answer);
    },
  };
}
