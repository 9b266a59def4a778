/** Files from this size are worth the two milliseconds in which Node loads `node:v8`. */
const LARGE_BYTES = 1_048_576;

/**
 * Call it before a short command reads a file of this size, once its code is loaded: Node's compile cache holds for one set of flags.
 *
 * After 3,000 calls of a function V8 compiles it a second time, with all optimizations, in another thread. That takes a fifth of the
 * processor time of `parse` for a file of 4 MB, and pays off after seconds only: here after a million calls. Only for the release of
 * Node in which it was measured, because V8 prints an error where it does not know a flag, and because older releases of V8 do not
 * optimize a function before that.
 */
export function optimizeLater(bytes: number): void {
  if (bytes < LARGE_BYTES || !process.versions.node.startsWith('24.')) return;
  process.getBuiltinModule('node:v8').setFlagsFromString('--invocation-count-for-turbofan=1000000');
}
