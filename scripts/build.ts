import { rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };
import { licensesOf } from './licenses.ts';

const ROOT = join(import.meta.dirname, '..');

/** What is started or imported by its name; everything else is a chunk that these load when it is used. */
const ENTRIES = {
  cli: 'src/cli/main.ts',
  producer: 'src/producer.ts',
  'insights-client': 'src/insights-client.ts',
  testing: 'src/testing.ts',
  'reading-thread': 'src/lockfiles/threads/reading-thread.ts',
  'valkey-child': 'src/embedded/valkey-child.ts',
};

/** Bundled although they are dependencies, which they are for the types of the library entries. */
const BUNDLED = ['p-limit', 'zod'];

const EXTERNAL = Object.keys(manifest.dependencies).filter((name) => !BUNDLED.includes(name));

/** `dist/` of this folder, or of the folder that is named. */
const out = join(process.argv[2] ?? ROOT, 'dist');

rmSync(out, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  input: ENTRIES,
  external: (id) => isBuiltin(id) || EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [directBuiltins()],
  onLog(level, log) {
    if (level === 'warn') throw new Error(log.message);
  },
});
const { output } = await bundle.write({
  dir: join(out, 'bundle'),
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
  comments: false,
  // What starts and reads a lockfile lies in few files: each takes a millisecond to find and load.
  codeSplitting: {
    groups: [
      {
        name: 'start',
        test: /\/src\/(?:model\/errors|files\/package-file|cli\/exit-code)\.ts$|\/commander\//,
        priority: 2,
      },
      {
        name: 'command',
        test: /\/src\/(?:cli\/(?:errors|output-\w+|signals)|files\/[\w-]+|model\/(?:printable|scan\/lockfile))\.ts$/,
        priority: 1,
      },
      { name: 'lockfiles', test: /\/src\/lockfiles\/(?!threads\/(?:thread|reading-thread)\.ts)/ },
    ],
  },
});
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licensesOf(modules));

/**
 * Imports of Node's own modules, `import { a as b } from "node:fs"`, become calls of `process.getBuiltinModule`. An import makes
 * Node evaluate every getter of the module (`process.stdin`, `fs.promises`, …), which takes as long as all else that `--version` does.
 */
function directBuiltins(): Plugin {
  const statement = /^import (?:\* as )?(\w+)?(?:, )?(?:\{ (.*) \})? from "(node:[\w/]+)";$/gm;
  return {
    name: 'direct-builtins',
    renderChunk(code) {
      return code.replace(statement, (_import, name?: string, names?: string, id?: string) => {
        if (name === 'childProcess') return lazily(name, id);
        const module = `globalThis.process.getBuiltinModule("${id}")`;
        return [name, names === undefined ? undefined : `{ ${names.replaceAll(' as ', ': ')} }`]
          .filter((target) => target !== undefined)
          .map((target) => `const ${target} = ${module};`)
          .join(' ');
      });
    },
  };
}

/** commander starts programs for commands of its own kind, of which there is none here; the module takes longer to load than commander. */
function lazily(name: string, id: string | undefined): string {
  return `const ${name} = { get spawn() { return globalThis.process.getBuiltinModule("${id}").spawn; } };`;
}
