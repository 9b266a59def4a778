import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Refusal } from '../../operations/refusal.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';

const REFUSALS: Readonly<Record<string, readonly [status: number, code: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request-timeout', 'the request came too slowly'],
  HPE_HEADER_OVERFLOW: [431, 'headers-too-large', 'the URL and the headers have at most 16 KiB together'],
};

/** Answers what is no complete HTTP request, so that no route gets it, with a problem, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const known = REFUSALS[error.code ?? ''] ?? [400, 'not-http', 'the request is not valid HTTP'];
  const problem = problemOf(new Refusal(...known), randomUUID());
  const body = JSON.stringify(problem);
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: ${PROBLEM_TYPE}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy(error);
}
