import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import type { RestDescription } from '../../discovery/description/description.ts';
import type { ApiMethod } from '../../discovery/description/methods.ts';
import { checkRequestBody } from '../../discovery/request/schema-check.ts';
import { Refusal } from '../../operations/refusal.ts';
import { formSchemaName, formValue, MultipartBody, readMultipart, scanOfForm } from './multipart.ts';
import { createOpenBodies, type OpenBodies } from './open-bodies.ts';

/** Largest JSON text, which is parsed in one step. Larger files are sent as `multipart/form-data`. */
const MAX_JSON_BYTES = 16_777_216;
/** Values in a JSON text: its lockfiles are texts. */
const MAX_JSON_VALUES = 200_000;

/** Bodies of the largest size that may be open at the same time. */
const MAX_OPEN_BODIES = 2;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Receives the bodies of a route that has room of its own. */
    readonly openBodies?: OpenBodies;
  }
}

/**
 * Accepts bodies of JSON and multipart/form-data, also compressed with gzip. Limits are those of the uncompressed body. `holderOf`: who
 * sends a request.
 */
export function acceptBodies(
  app: FastifyInstance,
  maxBytes: number,
  holderOf: (request: FastifyRequest) => string,
): void {
  app.removeAllContentTypeParsers();
  const oneByOne = pLimit(1);
  const jsonLimit = Math.min(MAX_JSON_BYTES, maxBytes);
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: jsonLimit },
    (request: FastifyRequest, body: Buffer, done) => {
      // Other bytes would be replaced without a word, also in names of targets.
      if (!isUtf8(body))
        return done(new Refusal(400, 'not-utf8', 'the body is not UTF-8, as JSON has to be'));
      if (!hasMoreValues(body, MAX_JSON_VALUES)) return parseJson(request, body.toString(), done);
      done(new Refusal(413, 'too-many-values', `a JSON body has at most ${MAX_JSON_VALUES} values`));
    },
  );
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: maxBytes },
    // Each takes several times its size for a moment.
    (request: FastifyRequest, body: Buffer) =>
      oneByOne(async () => {
        await setImmediate();
        return await readMultipart(body, request.headers['content-type'] ?? '');
      }),
  );
  const ownBodies = createOpenBodies({ maxTotal: MAX_OPEN_BODIES * maxBytes });
  app.addHook('preParsing', async (request, reply, payload) => {
    const { openBodies = ownBodies } = request.routeOptions.config;
    const announced = Number(request.headers['content-length'] ?? 0);
    const counted = Object.assign(openBodies(holderOf(request), reply, announced), {
      receivedEncodedLength: 0,
    });
    payload.on('data', (part: Buffer) => {
      counted.receivedEncodedLength += part.length;
    });
    payload.once('error', (error) => counted.destroy(error));
    if (!isCompressed(request)) return payload.pipe(counted);
    const unzipped = payload.pipe(createGunzip());
    unzipped.once('error', (error) => counted.destroy(error));
    return unzipped.pipe(counted);
  });
}

/** Throws `Refusal` for another compression than gzip. */
function isCompressed({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return false;
  if (encoding === 'gzip') return true;
  throw new Refusal(415, 'encoding-unknown', `bodies are compressed with gzip, not with ${encoding}`, {
    headers: { 'accept-encoding': 'gzip' },
  });
}

/** The body of a request as a value of the request schema. Throws `Refusal` for one that does not fit. */
export function checkedBody(
  document: RestDescription,
  { id, description }: ApiMethod,
  body: unknown = {},
): unknown {
  if (description.request === undefined) return body;
  const isForm = body instanceof MultipartBody;
  if (isForm && description.supportsMediaUpload !== true)
    throw new Refusal(415, 'invalid-media-type', `${id} takes application/json`);
  const form = formSchemaName(description.request);
  const problems = isForm
    ? checkRequestBody(document, { $ref: form }, formValue(document, form, body), id)
    : checkRequestBody(document, description.request, body, id);
  if (problems.length === 0) return isForm ? scanOfForm(body) : body;
  const shown = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new Refusal(400, 'invalid-body', `the body does not fit its schema: ${shown}`);
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const BEFORE_VALUES: ReadonlySet<number> = new Set([...',{['].map((character) => character.charCodeAt(0)));

/**
 * Whether a JSON text has more than `most` values, counted without parsing it: a parsed text of empty objects takes 20 times as much
 * memory as the text, and seconds. Texts that are no JSON have some number, too.
 */
function hasMoreValues(text: Buffer, most: number): boolean {
  let count = 1;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] as number;
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (BEFORE_VALUES.has(byte)) count += 1;
    if (count > most) return true;
  }
  return false;
}
