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

/**
 * Bundled although they are `dependencies`. The type declarations of the library entries import p-limit and zod; semver has a
 * file for each function, which take longer to load than to run.
 */
const BUNDLED = ['p-limit', 'semver', 'zod'];

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
        test: /\/src\/(?:cli\/(?:errors|output-\w+|signals)|config\/is-configured|files\/[\w-]+|model\/(?:json-object|printable|yielding|scan\/lockfile))\.ts$/,
        priority: 2,
      },
      { name: 'lockfiles', test: /\/src\/lockfiles\/(?!threads\/(?:thread|reading-thread)\.ts)/ },
      // Needed without the configuration or the jobs: by library entries and by commands for APIs.
      { name: 'zod', test: /\/node_modules\/zod\//, priority: 2 },
      {
        name: 'payloads',
        test: /\/src\/jobs\/(?:payloads\/|(?:envelope|job-id|scan-request)\.ts$)/,
        priority: 1,
      },
      { name: 'config', test: /\/src\/config\/|\/node_modules\/yaml\// },
      { name: 'http', test: /\/src\/(?:http\/errors|in-process\/memory-cache)\.ts$/, priority: 1 },
      { name: 'discovery', test: /\/src\/discovery\//, priority: 1 },
      // Everything that a scan needs in addition.
      { name: 'jobs', test: /\/src\/(?:in-process|insights|jobs)\// },
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
