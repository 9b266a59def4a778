import type { ProducedLockfile } from '../../scan/read.ts';

/** Total size from which a scan needs much memory. */
const LARGE_BYTES = 1_048_576;

/** Whether the lockfiles are large enough for garbage to be most of the memory of a scan. */
export function isLarge(lockfiles: readonly ProducedLockfile[]): boolean {
  const bytes = lockfiles.reduce((sum, file) => sum + ('content' in file ? file.content.length : 0), 0);
  return bytes >= LARGE_BYTES;
}

/**
 * Limits the growth of V8's heap, which otherwise grows to twice the memory in use, with up to 48 MB for young objects. Marking in
 * steps would keep garbage until the last step, and what is allocated meanwhile; a command has no one to answer in between. Call it
 * after all modules are loaded, because V8 does not use cached code that was compiled with other flags. `node:v8`, with its streams, is
 * loaded for these scans only.
 */
export function limitGarbage(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-incremental-marking');
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--expose-gc');
  shrinkHeap();
}

/** The last resort returns the room for young objects, which loading the modules has grown to 16 MB and nothing else shrinks. */
function shrinkHeap(): void {
  // The function is a global of contexts that are made after its flag was set.
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as NodeJS.GCFunction;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
