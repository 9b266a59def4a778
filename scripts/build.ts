import { rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };
import { licensesOf } from './licenses.ts';

const ROOT = join(import.meta.dirname, '..');

/** Entry points by name. All other code is in chunks that are loaded when they are used. */
const ENTRIES = {
  cli: 'src/cli/main.ts',
  producer: 'src/producer.ts',
  'insights-client': 'src/insights-client.ts',
  testing: 'src/testing.ts',
  'reading-thread': 'src/lockfiles/threads/reading-thread.ts',
  'valkey-child': 'src/embedded/valkey-child.ts',
};

/** Bundled although they are `dependencies`: the type declarations of the library entries import them. */
const BUNDLED = ['p-limit', 'zod'];

const EXTERNAL = Object.keys(manifest.dependencies).filter((name) => !BUNDLED.includes(name));

/** `dist/` of the repository, or of the folder in the first argument. */
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
  // Code that most commands need is in few files, because each file takes a millisecond to find and load.
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
 * Replaces imports of Node's own modules, `import { a as b } from "node:fs"`, by calls of `process.getBuiltinModule`.
 * An import makes Node evaluate every getter of the module (`process.stdin`, `fs.promises`, …), which doubles the time
 * of `--version`.
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

/**
 * commander imports a module for subcommands that are separate programs. Lockhound has none, and the module takes
 * longer to load than commander.
 */
function lazily(name: string, id: string | undefined): string {
  return `const ${name} = { get spawn() { return globalThis.process.getBuiltinModule("${id}").spawn; } };`;
}
