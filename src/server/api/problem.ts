import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { CodedError, messageOf } from '../../model/errors.ts';
import { Refusal } from '../../operations/refusal.ts';

/** An error answer (RFC 9457). */
export interface Problem {
  /** `urn:lockhound:problem:<code>`. */
  readonly type: string;
  /** Name of the status. */
  readonly title: string;
  readonly status: number;
  /** A text about what happened, and what to do. */
  readonly detail: string;
  /** Id of the request, as in the log and the header `x-request-id`. */
  readonly instance: string;
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function problemOf({ status, code, message }: Refusal, request: string): Problem {
  return {
    type: `urn:lockhound:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    instance: `urn:lockhound:request:${request}`,
  };
}

/** The status for the code of an error that operations throw. Others are faults of the server. */
const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ['target-unknown', 404],
  ['not-found', 404],
  ['query-invalid', 400],
  ['invalid-parameter', 400],
  ['invalid-body', 400],
  ['config-invalid', 400],
  ['invalid-payload', 400],
  ['blob-too-large', 413],
  ['exists', 409],
  ['scan-exists', 409],
  ['release-exists', 409],
  ['removed', 409],
  ['configured', 409],
  ['changed-meanwhile', 409],
]);

/** Answers of a Redis that is full, or has lost its disk or its replicas; also in errors of scripts. */
const REFUSED_WRITE = /^(?:-?OOM|MISCONF|NOREPLICAS)\b/;

/** Seconds to wait while Redis does not answer. */
const RETRY_AFTER = 5;

/** Any error as a refusal. `undefined` for an unexpected one, whose message is for the log only. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof CodedError) {
    const status = STATUS_OF.get(error.code);
    if (status !== undefined) return new Refusal(status, error.code, error.message, { cause: error });
    if (error.code === 'state-corrupt' || error.code === 'state-newer') {
      return new Refusal(500, error.code, error.message, { cause: error });
    }
  }
  if (REFUSED_WRITE.test(messageOf(error))) {
    const detail =
      'Redis accepts no writes now, for example because its memory is full: see `lockhound doctor`';
    return new Refusal(503, 'store-refuses', detail, { retryAfter: RETRY_AFTER, cause: error });
  }
  if (isUnreachable(error)) {
    const detail = 'Redis does not answer';
    return new Refusal(503, 'store-unreachable', detail, { retryAfter: RETRY_AFTER, cause: error });
  }
  return fromFramework(error);
}

function isUnreachable(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  if (name === 'MaxRetriesPerRequestError' || name === 'ClusterAllFailedError') return true;
  return /^Connection is closed|^Command timed out|ECONNREFUSED|^(?:LOADING|READONLY|CLUSTERDOWN|MASTERDOWN)\b/.test(
    messageOf(error),
  );
}

/** Errors that fastify throws before an operation runs: bodies that are too large, malformed or of another type. */
function fromFramework(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  const { statusCode: status } = error;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'bad-request';
  if (code.startsWith('Z_')) {
    return new Refusal(400, 'gzip-invalid', `the body is not gzip: ${error.message}`, { cause: error });
  }
  const name = code.replace(/^FST_(?:ERR_)?/, '').toLowerCase();
  return new Refusal(status, name.replaceAll('_', '-'), error.message, { cause: error });
}

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
