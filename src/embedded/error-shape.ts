/** The format of a service's error answers. */
export interface ErrorShape {
  /** Content type. */
  readonly type: string;
  body(message: string): string;
}

/** Package-insights API (field notes, "Errors are text/plain"). */
export const PLAIN_ERRORS: ErrorShape = { type: 'text/plain; charset=utf-8', body: (message) => message };

/** Webhook-integration API, "Error response object". */
export const LISTED_ERRORS: ErrorShape = {
  type: 'application/json',
  body: (message) => JSON.stringify({ errors: [message] }),
};
