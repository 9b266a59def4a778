import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import * as zod from 'zod';

const ZOD = '\0on-demand/zod';
const USED_ZOD = '\0on-demand/used-zod';
const CALLS = '\0on-demand/calls/';

/**
 * Modules that are evaluated when they are first used, although they are imported statically. `folder`: that of the code.
 *
 * - zod. Every job, stored value and setting has a schema, so that nearly all code imports zod; a scan that stores nothing
 *   builds no schema. The parts of zod that no file in `folder` names are left out.
 * - `functions`: ids of modules that export functions only, each called once for much work.
 */
export function onDemand(folder: string, functions: readonly RegExp[]): Plugin {
  return {
    name: 'on-demand',
    async resolveId(id, importer, options) {
      if (id.startsWith('\0on-demand/')) return id;
      if (importer?.startsWith(folder) !== true) return null;
      if (id === 'zod') return ZOD;
      const found = await this.resolve(id, importer, { ...options, skipSelf: true });
      const isListed = functions.some((one) => found !== null && one.test(found.id));
      return found !== null && isListed ? CALLS + relative(folder, found.id) : null;
    },
    load(id) {
      // A call of `require` in a function is bundled as a module that the call evaluates.
      if (id === USED_ZOD) return `export { ${namesOfZod(folder).join(', ')} } from 'zod';`;
      if (id === ZOD) {
        return `${loading(USED_ZOD)} export const z = new Proxy({}, { get: (_target, name) => load()[name] });`;
      }
      return id.startsWith(CALLS) ? callsOf(join(folder, id.slice(CALLS.length))) : null;
    },
  };
}

function loading(id: string): string {
  return `let loaded; const load = () => (loaded ??= require(${JSON.stringify(id)}));`;
}

/** The names of zod's functions and classes that the code uses as `z.name`. */
function namesOfZod(folder: string): readonly string[] {
  const files = globSync('**/*.ts', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
  const named = files.flatMap((text) => [...text.matchAll(/\bz\.(\w+)/g)].map(([, name]) => name ?? ''));
  // `z.core` is named for its types only, and holds everything.
  return [...new Set(named)].filter((name) => name in zod && name !== 'core').sort();
}

/** A module whose functions load the one of this id and call it. Throws for a module that exports anything else. */
function callsOf(id: string): string {
  const text = readFileSync(id, 'utf8');
  if (/^module\.exports = /m.test(text)) return `${loading(id)} export default (...all) => load()(...all);`;
  const names = [...text.matchAll(/^export function (\w+)/gm)].map(([, name]) => name ?? '');
  if (names.length === 0 || /^export (?!function |interface |type )/m.test(text)) {
    throw new Error(`${id} exports more than functions: it cannot be loaded on demand`);
  }
  const calls = names.map((name) => `export const ${name} = (...all) => load().${name}(...all);`);
  return [loading(id), ...calls].join('\n');
}
