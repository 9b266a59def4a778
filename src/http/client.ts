/** One request. The body is sent as it is. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /**
   * Whether repeating it is harmless. GET, HEAD, PUT and DELETE are taken to be so; a read-only POST says it here.
   * Only such requests are retried.
   */
  readonly idempotent?: boolean;
  /**
   * The caller goes by the status and wants no more than so many bytes of the answer: the rest is not read, and a body
   * that breaks off, hangs or cannot be decompressed is no error once the status is there.
   */
  readonly answerBytes?: number;
}

/** A whole answer, whatever its status: the caller decides what a status means. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed; at most the client's size cap. */
  readonly body: Buffer;
  /** Parsed from `Retry-After` (seconds or a date), when the answer has one. */
  readonly retryAfterMs?: number | undefined;
}

/** The one way to the network. */
export interface HttpClient {
  /**
   * Sends and reads the whole answer. 429, 502, 503, 504 and lost connections are retried briefly when the request is
   * idempotent; the last answer is returned whatever it is. Throws `HttpError` when there is no answer.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}
