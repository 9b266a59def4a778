import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import * as zod from 'zod';

const PREFIX = '\0on-demand/';
const ZOD = `${PREFIX}zod`;
const USED_ZOD = `${PREFIX}used-zod`;
/** A module whose exports load the one of this id. */
const CALLS = `${PREFIX}calls/`;
/** All modules of a package that the code imports, each as one export. */
const PACKAGE = `${PREFIX}package/`;

/** How the modules above load another file without waiting for a promise. */
const LOADING = /\bloadNow\(\(\) => import\(("\.\/[^"]+")\)\)/g;

/**
 * Packages in files of their own, which are loaded when a function of them is first called, although they are imported
 * statically. `folder`: that of the code.
 *
 * - zod. Every job, stored value and setting has a schema, so that nearly all code imports zod; a scan that stores nothing
 *   builds no schema. The parts of zod that no file in `folder` names are left out.
 * - `packages`. Their functions and classes can be imported; of a class only objects can be made.
 */
export function onDemand(folder: string, packages: readonly string[]): Plugin {
  const packageOf = (id: string) => packages.find((name) => id === name || id.startsWith(`${name}/`));
  const texts = globSync('**/*.ts', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
  /** The modules of a package that the code imports. */
  const idsOf = (name: string) => {
    const ids = texts.flatMap((text) => [...text.matchAll(/^import (?!type ).* from '([^']+)';$/gm)]);
    return [...new Set(ids.map(([, id]) => id ?? ''))].filter((id) => packageOf(id) === name).sort();
  };
  return {
    name: 'on-demand',
    resolveId(id, importer) {
      if (id.startsWith(PREFIX)) return id;
      if (importer?.startsWith(folder) !== true) return null;
      if (id === 'zod') return ZOD;
      return packageOf(id) === undefined ? null : CALLS + id;
    },
    async load(id) {
      if (id === USED_ZOD) return `export { ${namesOfZod(texts).join(', ')} } from 'zod';`;
      if (id === ZOD) {
        return `${loading(USED_ZOD)} export const z = new Proxy({}, { get: (_target, name) => load()[name] });`;
      }
      if (id.startsWith(PACKAGE)) {
        const modules = idsOf(id.slice(PACKAGE.length));
        return modules.map((one, at) => `export * as module${at} from ${JSON.stringify(one)};`).join('\n');
      }
      if (!id.startsWith(CALLS)) return null;
      const called = id.slice(CALLS.length);
      const name = packageOf(called) ?? '';
      const calls = await callsOf(called, `load().module${idsOf(name).indexOf(called)}`);
      return [loading(PACKAGE + name), ...calls].join('\n');
    },
    generateBundle(_options, files) {
      for (const file of Object.values(files)) {
        if (file.type !== 'chunk') continue;
        file.code = file.code.replace(
          LOADING,
          'globalThis.process.getBuiltinModule("node:module").createRequire(import.meta.url)($1)',
        );
        if (file.code.includes('loadNow('))
          throw new Error(`${file.fileName} loads a file in an unknown way`);
      }
    },
  };
}

function loading(id: string): string {
  return `let loaded; const load = () => (loaded ??= loadNow(() => import(${JSON.stringify(id)})));`;
}

/** The names of zod's functions and classes that the code uses as `z.name`. */
function namesOfZod(texts: readonly string[]): readonly string[] {
  const named = texts.flatMap((text) => [...text.matchAll(/\bz\.(\w+)/g)].map(([, name]) => name ?? ''));
  // `z.core` is named for its types only, and holds everything.
  return [...new Set(named)].filter((name) => name in zod && name !== 'core').sort();
}

/** Exports that call the functions of the module `id`, which the expression `loaded` gives. */
async function callsOf(id: string, loaded: string): Promise<readonly string[]> {
  const exported = Object.entries((await import(id)) as Readonly<Record<string, unknown>>);
  return exported.flatMap(([name, value]) => {
    if (typeof value !== 'function' || name === 'module.exports') return [];
    const target = `${loaded}.${name}`;
    const call = /^class\b/.test(String(value))
      ? `function (...all) { return new (${target})(...all); }`
      : `(...all) => ${target}(...all)`;
    return [name === 'default' ? `export default ${call};` : `export const ${name} = ${call};`];
  });
}
