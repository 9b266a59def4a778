/** A package-lock in which each package depends on the next one. */
export function lockfileOf(packages: ReadonlyMap<string, string>): string {
  const names = [...packages.keys()];
  const entries = names.map((name, index) => {
    const next = index % 4 === 3 ? undefined : names[index + 1];
    const version = packages.get(name);
    return [
      `node_modules/${name}`,
      { version, ...(next === undefined ? {} : { dependencies: { [next]: '*' } }) },
    ];
  });
  const direct = Object.fromEntries(names.filter((_, index) => index % 4 === 0).map((name) => [name, '*']));
  return JSON.stringify({
    lockfileVersion: 3,
    packages: { '': { dependencies: direct }, ...Object.fromEntries(entries) },
  });
}
