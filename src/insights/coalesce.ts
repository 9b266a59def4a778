import { raceAbort } from '../model/time-limit.ts';

/** Shares one piece of work between all callers that ask for the same key at the same time. */
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
 * The signal of a caller ends the wait of that caller alone, which rejects with the signal's reason. The work is aborted
 * when no caller waits for it.
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

/** Removes this flight only: a later one may use the same key. */
function forget<Value>(flights: Map<string, Flight<Value>>, key: string, result: Promise<Value>): void {
  if (flights.get(key)?.result === result) flights.delete(key);
}

async function share<Value>(flight: Flight<Value>, signal: AbortSignal, abandon: () => void): Promise<Value> {
  flight.waiting += 1;
  const leave = () => {
    flight.waiting -= 1;
    if (flight.waiting > 0) return;
    abandon();
    flight.controller.abort(signal.reason);
  };
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await raceAbort(flight.result, signal);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
