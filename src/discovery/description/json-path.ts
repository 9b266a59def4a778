/** The JSON path of a place: `$.methods.get.parameters["key.name"].enum[2]`. */
export function jsonPath(keys: readonly (string | number)[]): string {
  return keys.reduce<string>((path, key) => path + step(key), '$');
}

/** One step further down. */
function step(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
