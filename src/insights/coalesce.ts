/** Lets callers that want the same thing at the same time share one piece of work. */
export type Coalescer<Value> = (
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
) => Promise<Value>;

interface Flight<Value> {
  readonly result: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Each caller gives up on its own signal only; the work is aborted when nobody waits for it any more. Rejects with the
 * signal's reason for a caller that gives up.
 */
export function createCoalescer<Value>(): Coalescer<Value> {
  const flights = new Map<string, Flight<Value>>();
  return async (key, signal, work) => {
    signal.throwIfAborted();
    let flight = flights.get(key);
    if (flight === undefined) {
      const controller = new AbortController();
      const result = work(controller.signal);
      flight = { result, controller, waiting: 0 };
      flights.set(key, flight);
      const land = () => forget(flights, key, result);
      result.then(land, land);
    }
    const { result } = flight;
    return share(flight, signal, () => forget(flights, key, result));
  };
}

/** A later flight may have taken the key: only this one is forgotten. */
function forget<Value>(flights: Map<string, Flight<Value>>, key: string, result: Promise<Value>): void {
  if (flights.get(key)?.result === result) flights.delete(key);
}

async function share<Value>(flight: Flight<Value>, signal: AbortSignal, abandon: () => void): Promise<Value> {
  flight.waiting += 1;
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = () => {
    flight.waiting -= 1;
    if (flight.waiting === 0) {
      abandon();
      flight.controller.abort(signal.reason);
    }
    reject(signal.reason);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([flight.result, givenUp]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
