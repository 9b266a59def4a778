/**
 * The result of `work`, or a rejection with the signal's reason, whichever comes first. After an abort the work may
 * continue; its result is ignored.
 */
export function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const onAbort = () => reject(signal.reason);
  const free = () => signal.removeEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  work.then(
    (value) => {
      free();
      resolve(value);
    },
    (error: unknown) => {
      free();
      reject(error);
    },
  );
  return promise;
}
