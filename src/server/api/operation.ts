import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { LockhoundMethods } from '../../model/api/lockhound-api.generated.ts';
import type { Principal } from './principal.ts';

export type MethodId = keyof LockhoundMethods;

/** Methods that are answered before their work is done (202). */
export const ACCEPTED: ReadonlySet<string> = new Set<MethodId>(['lockhound.scans.submit']);

/** Methods whose answers have secrets, which are never stored: they take no key. */
export const SECRET: ReadonlySet<string> = new Set<MethodId>([
  'lockhound.session.create',
  'lockhound.tokens.create',
]);

/** Whether a method changes nothing. */
export function isRead({ httpMethod }: { readonly httpMethod: string }): boolean {
  return httpMethod === 'GET' || httpMethod === 'HEAD';
}

/** A call of an operation, checked against the description document. */
export interface Call<Id extends MethodId = MethodId> {
  readonly params: LockhoundMethods[Id]['params'];
  readonly body: LockhoundMethods[Id]['body'];
  readonly principal: Principal;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
  /** Whether the caller may still call, for answers that take long. */
  readonly isAllowed: () => Promise<boolean>;
  readonly request: Pick<FastifyRequest, 'headers' | 'socket' | 'id'>;
}

/** An answer that is not JSON, or has another status than 200. */
export class RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    body: string,
    { status = 200, type = 'application/json; charset=utf-8', headers = {} }: RawAnswerOptions = {},
  ) {
    this.status = status;
    this.type = type;
    this.body = body;
    this.headers = headers;
  }
}

interface RawAnswerOptions {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is written bit by bit. `headers`: those of every answer. */
export class StreamAnswer {
  readonly run: (raw: ServerResponse, headers: Readonly<Record<string, string>>) => Promise<void>;

  constructor(run: StreamAnswer['run']) {
    this.run = run;
  }
}

/** Runs an operation. Resolves to a value of the response schema, to a `RawAnswer`, or to a `StreamAnswer`. Throws `Refusal` and coded errors. */
export type Operation<Id extends MethodId> = (call: Call<Id>) => Promise<object>;

/** Every operation of the document. */
export type Operations = { readonly [Id in MethodId]: Operation<Id> };
