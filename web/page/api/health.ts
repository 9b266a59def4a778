import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from './call.ts';
import { session } from './session.ts';
import { useLoaded } from './use-loaded.ts';

const read = (stop: AbortSignal) => call('lockhound.health.get', {}, { signal: stop });

/** The verdict of `lockhound health`, the same in all places that show it. Absent for people who do not see the whole fleet. */
export const health = signal<Awaited<ReturnType<typeof read>> | undefined>(undefined);

/** Keeps the verdict current. Called once, by what is on every view. */
export function useHealth(): void {
  const seesAll = session.value?.targets.includes('*') === true;
  const { value } = useLoaded(seesAll ? 'health' : '', read);
  useEffect(() => {
    health.value = value;
  }, [value]);
}
