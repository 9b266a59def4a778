import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { RestDescription } from '../../src/discovery/description/description.ts';
import { compileUpload, type UploadArguments } from '../../src/discovery/upload/media-upload.ts';
import { uploadMedia } from '../../src/discovery/upload/upload.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { startTestServer } from '../http/test-server.ts';

const text = { type: 'string' } as const;
const document: RestDescription = {
  id: 'files:v1',
  rootUrl: 'https://files.example/',
  servicePath: 'files/v1/',
  schemas: { File: { type: 'object', properties: { name: text } } },
  methods: {
    put: {
      id: 'put',
      httpMethod: 'POST',
      path: 'folders/{folder}/files',
      parameters: {
        folder: { ...text, location: 'path', required: true },
        label: { ...text, location: 'query' },
      },
      request: { $ref: 'File' },
      response: { $ref: 'File' },
      supportsMediaUpload: true,
      mediaUpload: {
        accept: ['image/*', 'text/plain'],
        maxSize: '1MB',
        protocols: {
          simple: { multipart: true, path: '/upload/files/v1/folders/{folder}/files' },
          resumable: { multipart: true, path: '/resumable/files/v1/folders/{folder}/files' },
        },
      },
    },
    plain: { id: 'plain', httpMethod: 'GET', path: 'x' },
  },
};

const media = { contentType: 'image/png', content: Buffer.from([0, 13, 10, 255, 45, 45]) };
const compile = (call: Partial<UploadArguments> = {}) =>
  compileUpload(document, 'put', { params: { folder: 'a b' }, media, ...call });

describe('a media upload', () => {
  test('of content alone is simple', () => {
    expect(compile()).toEqual({
      protocol: 'simple',
      method: 'POST',
      url: 'https://files.example/upload/files/v1/folders/a%20b/files?uploadType=media',
      headers: { accept: 'application/json', 'content-type': 'image/png' },
      body: media.content,
    });
  });

  test('with metadata is multipart, with unchanged content', () => {
    const { url, headers, body } = compile({ body: { name: 'ü' }, params: { folder: 'a', label: 'x' } });
    expect(url).toBe('https://files.example/upload/files/v1/folders/a/files?label=x&uploadType=multipart');
    const boundary = /^multipart\/related; boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
    const parts = (body as Buffer).toString('latin1').split(`--${boundary}`);
    expect(parts).toHaveLength(4);
    expect(parts[1]).toContain(Buffer.from('\r\n\r\n{"name":"ü"}\r\n').toString('latin1'));
    expect(parts[2]).toBe(`\r\ncontent-type: image/png\r\n\r\n${media.content.toString('latin1')}\r\n`);
    expect(parts[3]).toBe('--\r\n');
  });

  test('that is resumable opens a session with type and size of the content', () => {
    expect(compile({ body: { name: 'n' }, protocol: 'resumable' })).toMatchObject({
      url: 'https://files.example/resumable/files/v1/folders/a%20b/files?uploadType=resumable',
      headers: { 'x-upload-content-type': 'image/png', 'x-upload-content-length': '6' },
      body: '{"name":"n"}',
    });
  });

  test.each<[Partial<UploadArguments>, RegExp]>([
    [{ media: { ...media, contentType: 'video/mp4' } }, /takes image\/\*, text\/plain, not video\/mp4/],
    [{ media: { ...media, contentType: 'image/png\r\nx: y' } }, /malformed type/],
    [{ media: { ...media, content: Buffer.alloc(2 ** 20 + 1) } }, /takes at most 1MB; this is 1048577 bytes/],
    [{ protocol: 'simple', body: {} }, /metadata only by multipart or resumable/],
    [{ body: { name: 1 } }, /\$\.name has to be text/],
    [{ params: {} }, /folder is required/],
  ])('is refused before sending: %#', (call, message) => {
    expect(() => compile(call)).toThrow(message);
  });

  test('is refused by methods without media upload or without the requested protocol', () => {
    expect(() => compileUpload(document, 'plain', { media })).toThrow('plain takes no media');
    const { put } = document.methods as { put: object };
    const only = {
      ...document,
      methods: { put: { ...put, mediaUpload: { protocols: { simple: { path: 'up' } } } } },
    };
    const call = { params: { folder: 'a' }, media };
    for (const protocol of ['resumable', 'multipart'] as const) {
      expect(() => compileUpload(only as RestDescription, 'put', { ...call, protocol })).toThrow(
        `no ${protocol} upload`,
      );
    }
  });
});

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Piece = (request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean;

/** A server of resumable uploads; `fault` may answer in place of accepting a part; it then returns true. */
async function startUploads(fault: Piece = () => false) {
  let stored = Buffer.alloc(0);
  const seen: string[] = [];
  const server = await startTestServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (request.method === 'POST') {
      seen.push(`open ${request.headers['x-upload-content-length']} ${request.headers.authorization}`);
      response.writeHead(200, { location: '/session/1' }).end();
      return;
    }
    const range = request.headers['content-range'] ?? '';
    seen.push(range);
    const total = Number(range.split('/')[1]);
    const start = /^bytes (\d+)-/.exec(range)?.[1];
    if (start !== undefined) {
      if (fault(request, response, body)) return;
      stored = Buffer.concat([stored.subarray(0, Number(start)), body]);
    }
    if (stored.length === total) {
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"name":"done"}');
    } else {
      const have = stored.length === 0 ? {} : { range: `bytes=0-${stored.length - 1}` };
      response.writeHead(308, have).end();
    }
  });
  const http = createHttpClient({ retry: { attempts: 2, baseMs: 1, longestWaitMs: 5 } });
  closing.push(() => http.close(), server.close);
  const upload = (content: Buffer) =>
    uploadMedia(
      { document, http, rootUrl: server.url, headers: () => ({ authorization: 'Bearer t' }) },
      'put',
      {
        params: { folder: 'a' },
        media: { contentType: 'text/plain', content },
        protocol: 'resumable',
        chunkBytes: 4,
      },
    );
  return { upload, seen, stored: () => stored.toString() };
}

describe('a resumable upload', () => {
  test('sends parts and returns the last answer', async () => {
    const { upload, seen, stored } = await startUploads();
    expect(await upload(Buffer.from('0123456789'))).toMatchObject({
      status: 201,
      content: { value: { name: 'done' } },
    });
    expect(stored()).toBe('0123456789');
    expect(seen).toEqual(['open 10 Bearer t', 'bytes 0-3/10', 'bytes 4-7/10', 'bytes 8-9/10']);
  });

  test('continues at the confirmed offset after a lost connection and an error', async () => {
    let pieces = 0;
    const { upload, seen, stored } = await startUploads((request, response) => {
      pieces += 1;
      if (pieces === 2) request.socket.destroy();
      else if (pieces === 4) response.writeHead(503).end();
      else return false;
      return true;
    });
    expect(await upload(Buffer.from('0123456789'))).toMatchObject({ status: 201 });
    expect(stored()).toBe('0123456789');
    expect(seen.filter((range) => range === 'bytes */10')).toHaveLength(2);
  });

  test('ends with the error of the service, and when no bytes are accepted', async () => {
    const refused = await startUploads((_request, response) => {
      response.writeHead(403, { 'content-type': 'text/plain' }).end('no');
      return true;
    });
    expect(await refused.upload(Buffer.from('01234'))).toMatchObject({
      status: 403,
      content: { text: 'no' },
    });
    const deaf = await startUploads((_request, response) => {
      response.writeHead(308).end();
      return true;
    });
    await expect(deaf.upload(Buffer.from('01234'))).rejects.toThrow(/accepted only 0 of 5 bytes/);
  });

  test('of empty content is one request', async () => {
    const { upload, seen } = await startUploads();
    expect(await upload(Buffer.alloc(0))).toMatchObject({ status: 201 });
    expect(seen).toEqual(['open 0 Bearer t', 'bytes */0']);
  });
});
