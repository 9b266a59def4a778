import { CodedError, messageOf } from '../model/errors.ts';
import { type Attempt, IncompleteError } from './attempt.ts';

interface FetchedFacts<Key, Fact> {
  readonly found: readonly { readonly key: Key; readonly fact: Fact }[];
  /** Keys for which the service has nothing. */
  readonly absent: readonly Key[];
  readonly failed: readonly { readonly key: Key; readonly reason: string }[];
}

/**
 * Fetches one fact for each key, concurrently. Throws `IncompleteError` when a key may succeed later; fetched facts are
 * then in the cache. On the last attempt such keys are `failed`. Errors without a code count as retryable.
 */
export async function fetchAll<Key, Fact>(
  keys: readonly Key[],
  fetch: (key: Key) => Promise<Fact | undefined>,
  describe: (key: Key) => string,
  attempt: Attempt,
): Promise<FetchedFacts<Key, Fact>> {
  const found: { key: Key; fact: Fact }[] = [];
  const absent: Key[] = [];
  const failed: { key: Key; reason: string; error: unknown }[] = [];
  await Promise.all(
    keys.map(async (key) => {
      try {
        const fact = await fetch(key);
        if (fact === undefined) absent.push(key);
        else found.push({ key, fact });
      } catch (error) {
        failed.push({ key, reason: reasonOf(error), error });
      }
    }),
  );
  attempt.signal.throwIfAborted();
  const retryable = failed.find(({ error }) => !(error instanceof CodedError) || error.retryable);
  if (retryable !== undefined && !attempt.lastAttempt)
    throw incomplete(`${describe(retryable.key)}: ${retryable.reason}`, retryable.error);
  return { found, absent, failed: failed.map(({ key, reason }) => ({ key, reason })) };
}

function reasonOf(error: unknown): string {
  return error instanceof CodedError ? error.message : `unexpected error: ${messageOf(error)}`;
}

function incomplete(message: string, cause: unknown): IncompleteError {
  const retryAfterMs = cause instanceof CodedError ? cause.retryAfterMs : undefined;
  return new IncompleteError('insights-partial', message, { cause, retryAfterMs });
}
