/** The value of `work`. Rejects with the error of `late` when there is none after `limitMs`; the work itself goes on. */
export async function within<Value>(
  work: Promise<Value>,
  limitMs: number,
  late: () => Error = () => new Error(`no answer within ${limitMs} ms`),
): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), limitMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
