import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from './call.ts';
import { changes } from './live.ts';
import { session } from './session.ts';

/** What a view shows, and how far loading it is. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  /** Why it could not be loaded. */
  readonly fault: string | undefined;
  /** Loads it again. */
  readonly reload: () => void;
}

/**
 * Loads a value when its key changes, and again after every event. The last value stays while it is loaded again. An empty key loads
 * nothing.
 */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; fault?: string }>({ key });
  const [attempt, setAttempt] = useState(0);
  const newest = useRef(load);
  newest.current = load;
  const change = changes.value;
  useEffect(() => {
    if (key === '') return;
    const stop = new AbortController();
    newest.current(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ key, value });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        if (error instanceof CallError && error.status === 401) session.value = null;
        const fault = error instanceof Error ? error.message : String(error);
        setState((before) => (before.key === key ? { ...before, fault } : { key, fault }));
      },
    );
    return () => stop.abort();
  }, [key, change, attempt]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    fault: isCurrent ? state.fault : undefined,
    reload: () => setAttempt((count) => count + 1),
  };
}
