/**
 * Reports a file whose format is of a newer version than is known here: what can be read of it is read, and packages may be
 * missing. `stated` is unchecked; only a number, or a text that begins with one, is a version.
 */
export function reportNewerVersion(
  report: (line: undefined, message: string) => void,
  stated: unknown,
  newest: number,
): void {
  const major = typeof stated === 'string' ? Number.parseInt(stated, 10) : stated;
  if (typeof major !== 'number' || !(major > newest)) return;
  report(
    undefined,
    `its format has version ${String(stated).slice(0, 40)}, and ${newest} is the newest that is known: packages may be missing`,
  );
}
