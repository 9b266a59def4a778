import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Call, MethodId } from '../../operations/operation.ts';

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

/** A call over HTTP. */
export interface HttpCall<Id extends MethodId = MethodId> extends Call<Id> {
  /** Whether the caller may still call, for answers that take long. */
  readonly isAllowed: () => Promise<boolean>;
  readonly request: Pick<FastifyRequest, 'headers' | 'socket' | 'id'>;
}

/** An answer that is written bit by bit. `headers`: those of every answer. */
export class StreamAnswer {
  readonly run: (raw: ServerResponse, headers: Readonly<Record<string, string>>) => Promise<void>;

  constructor(run: StreamAnswer['run']) {
    this.run = run;
  }
}

/** A function for every method of the document. It resolves to a value of the response schema, to a `RawAnswer` or to a `StreamAnswer`. */
export type HttpOperations = { readonly [Id in MethodId]: (call: HttpCall<Id>) => Promise<object> };
