/**
 * Waits for `work` at most `limitMs`, and then returns what `late` returns, or throws what it throws. Default: throws an `Error`. The work
 * itself goes on.
 */
export async function within<Value, Late = never>(
  work: Promise<Value>,
  limitMs: number,
  late: () => Late = () => {
    throw new Error(`no answer within ${limitMs} ms`);
  },
): Promise<Value | Late> {
  const { promise: limit, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    return await Promise.race([work, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
