export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the request may be repeated; only such requests are retried. Default: true for GET, HEAD, PUT and DELETE. A
   * read-only POST sets it.
   */
  readonly idempotent?: boolean | undefined;
  /**
   * Reads at most this number of bytes of the answer. For callers that need the status: a body that is cut off, hangs or
   * cannot be decompressed is then not an error.
   */
  readonly answerBytes?: number;
}

/** A complete answer with any status: the caller decides what the status means. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed; at most the client's size cap. */
  readonly body: Buffer;
  /** From `Retry-After` (seconds or a date), when the answer has it. */
  readonly retryAfterMs?: number | undefined;
}

/** All requests to the network go through this interface. */
export interface HttpClient {
  /**
   * Sends the request and reads the whole answer. Temporary errors and lost connections are retried briefly when the
   * request is idempotent; then the last answer is returned. Throws `HttpError` when there is no answer.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}
