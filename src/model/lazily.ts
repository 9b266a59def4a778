import { createRequire } from 'node:module';

/** A value that is created on first use. */
export function lazily<Value>(create: () => Value): () => Value {
  let created: { readonly value: Value } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

/**
 * Loads a package when it is needed, in code that cannot wait for an `import()`. For packages that are slow to load and seldom used;
 * they stay `dependencies`. The caller states the type: `const { a }: typeof import('b') = loadPackage('b')`.
 */
export const loadPackage: NodeJS.Require = createRequire(import.meta.url);
