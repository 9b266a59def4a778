import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readMultipart } from './multipart.ts';
import { Refusal } from './problem.ts';

/** Largest JSON text, which is parsed in one step. Larger files are sent as `multipart/form-data`. */
const MAX_JSON_BYTES = 16_777_216;

/** Accepts bodies of JSON and multipart/form-data, also compressed with gzip. Limits are those of the uncompressed body. */
export function acceptBodies(app: FastifyInstance, maxBytes: number): void {
  app.removeAllContentTypeParsers();
  const jsonLimit = Math.min(MAX_JSON_BYTES, maxBytes);
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: jsonLimit },
    (request: FastifyRequest, body: Buffer, done) => {
      // Other bytes would be replaced without a word, also in names of targets.
      if (isUtf8(body)) return parseJson(request, body.toString(), done);
      done(new Refusal(400, 'not-utf8', 'the body is not UTF-8, as JSON has to be'));
    },
  );
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: maxBytes },
    (request: FastifyRequest, body: Buffer) => readMultipart(body, request.headers['content-type'] ?? ''),
  );
  app.addHook('preParsing', async (request, _reply, payload) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding === 'identity') return payload;
    if (encoding !== 'gzip') {
      const headers = { 'accept-encoding': 'gzip' };
      throw new Refusal(415, 'encoding-unknown', `bodies are compressed with gzip, not with ${encoding}`, {
        headers,
      });
    }
    const unzipped = Object.assign(createGunzip(), { receivedEncodedLength: 0 });
    payload.on('data', (part: Buffer) => {
      unzipped.receivedEncodedLength += part.length;
    });
    payload.once('error', (error) => unzipped.destroy(error));
    return payload.pipe(unzipped);
  });
}
