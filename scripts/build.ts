import { rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };
import { run } from '../src/cli/program/program.ts';
import { buildPage } from './build-page.ts';
import { licensesOf } from './licenses.ts';

const ROOT = join(import.meta.dirname, '..');

/** Entry points by name. All other code is in chunks that are loaded when they are used. */
const ENTRIES = {
  cli: 'src/cli/main.ts',
  lockhound: 'src/lockhound.ts',
  producer: 'src/producer.ts',
  'insights-client': 'src/insights-client.ts',
  testing: 'src/testing.ts',
  'reading-thread': 'src/lockfiles/threads/reading-thread.ts',
  'segment-thread': 'src/commands/ledger/segment-thread.ts',
  'valkey-child': 'src/embedded/valkey-child.ts',
};

/**
 * Bundled although they are `dependencies`. The type declarations of the library entries import p-limit and zod; semver has a
 * file for each function, which take longer to load than to run.
 */
const BUNDLED = ['p-limit', 'semver', 'zod'];

const EXTERNAL = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(
  (name) => !BUNDLED.includes(name),
);

/** What a bundled package loads only where it is installed: cyclonedx-library, for XML, which is not written. */
const OPTIONAL = ['xmlbuilder2', 'libxmljs2'];

/** `dist/` of the repository, or of the folder in the first argument, which has the other files of the package. */
const out = join(process.argv[2] ?? ROOT, 'dist');

rmSync(out, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  input: ENTRIES,
  // The wrappers hold code that is run on demand; by default they are compiled with the file.
  optimization: { pifeForModuleWrappers: false },
  external: (id) =>
    isBuiltin(id) || [...EXTERNAL, ...OPTIONAL].some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [directBuiltins()],
  onLog(level, log) {
    // Code that is loaded earlier than necessary is no fault; `requireSeparate` finds what matters.
    if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
  },
});
const { output } = await bundle.write({
  dir: join(out, 'bundle'),
  format: 'esm',
  minifyInternalExports: false,
  chunkFileNames: '[name]-[hash].js',
  // V8 keeps a file with any other character in two bytes for each.
  charset: 'ascii',
  comments: false,
  // Code that most commands need is in few files, because each file takes a millisecond to find and load.
  codeSplitting: {
    groups: [
      {
        name: 'command',
        test: /\/src\/(?:(?:model|commands|embedded|insights)\/errors|cli\/program\/(?:errors|options|output-\w+|process-output|terminal)|config\/(?:defaults\.generated|is-configured|load-or-default)|files\/[\w-]+|model\/(?:json-object|load-package|printable|lazily|yielding|lockfile\/read-whole)|report\/layout)\.ts$|\/commander\//,
        priority: 6,
      },
      // What `parse` and every file need. Each format is a file of its own.
      {
        name: 'lockfiles',
        test: /\/src\/(?:lockfiles\/(?:[\w-]+|known-formats\.generated|threads\/(?:lockfile-reader|reading-limits))|(?:cli|commands)\/parse|report\/parsed-file-json)\.ts$(?<!\/(?:catalog|gitignore|read)\.ts)/,
        priority: 5,
      },
      // What most formats in JSON need.
      {
        name: 'json',
        test: /\/src\/lockfiles\/(?:syntax\/(?:parse-json|json-lines|decode-text)|packages\/installed-tree|ecosystems\/npm-source)\.ts$/,
        priority: 2,
      },
      // What a scan with findings, or with imported advisories, needs in addition.
      {
        name: 'advice',
        test: /\/src\/(?:advice\/(?:[\w-]+|managers\/(?:manager|javascript|catalog))|commands\/scanning\/scan-advice|lockfiles\/requirements\/(?:read-statement|npm|package-json|statement)|lockfiles\/yarn-lock\/descriptor)\.ts$/,
        priority: 0,
      },
      {
        name: 'advisories',
        test: /\/src\/(?:advisories\/(?:database|errors|matched|affects|claims|advisory-text)|compose\/advisory-index)\.ts$/,
        priority: 0,
      },
      // Everything that a scan needs in addition.
      {
        name: 'scan',
        test: /\/src\/(?:compose\/scanner|commands\/(?:scan|scanning\/filter-report)|cli\/(?:scan|program\/scan-result)|report\/(?:json|text|finding-parts|scan-parts|table\/[\w-]+))\.ts$/,
        priority: 1,
      },
    ],
  },
});
const modules = output.flatMap((file) =>
  file.type === 'chunk' ? file.moduleIds.filter((id) => !id.startsWith('\0')) : [],
);
const pageModules = await buildPage(join(out, 'page'));
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licensesOf([...modules, ...pageModules]));
writeFileSync(join(out, 'bundle/help.txt'), await help());
requireSeparate('/src/cli/main.ts', /\/src\/(?:jobs|lockfiles|policy|config\/schema|cli\/scan)/);
requireSeparate(
  '/src/commands/parse.ts',
  /\/src\/(?:jobs|config\/schema|lockfiles\/[\w-]+-lock\/)|\/node_modules\/(?:zod|yaml)\//,
);
requireSeparate(
  '/src/commands/scan.ts',
  /\/src\/(?:config\/schema|policy\/suppressions\/vex|store|notify)|\/node_modules\/yaml\//,
);

/** What `lockhound --help` prints where it does not go to a terminal. Its entry point prints the file. */
async function help(): Promise<string> {
  let text = '';
  const out = (part: string): void => {
    text += part;
  };
  const width = Number.POSITIVE_INFINITY;
  await run(['--help'], { out, note: out, colour: false, interactive: false, width, noteWidth: width });
  return text;
}

/**
 * Throws when the chunks that are loaded with a module contain other code: a group takes the dependencies of its modules along,
 * so that a new import may put them into another chunk.
 */
function requireSeparate(module: string, others: RegExp): void {
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  const loaded = new Set(
    [...chunks.values()].filter(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module))),
  );
  for (const { imports } of loaded) {
    for (const name of imports) {
      const chunk = chunks.get(name);
      if (chunk !== undefined) loaded.add(chunk);
    }
  }
  const found = [...loaded].flatMap(({ moduleIds }) => moduleIds).find((id) => others.test(id));
  if (loaded.size === 0 || found !== undefined) throw new Error(`${module} is loaded together with ${found}`);
}

/**
 * Replaces imports of Node's own modules, `import { a as b } from "node:fs"`, by calls of `process.getBuiltinModule`.
 * An import makes Node evaluate every getter of the module (`process.stdin`, `fs.promises`, …), which doubles the time
 * of `--version`.
 */
function directBuiltins(): Plugin {
  const statement = /^import (?:\* as )?([\w$]+)?(?:, )?(?:\{ (.*) \})? from "(node:[\w/]+)";$/gm;
  return {
    name: 'direct-builtins',
    renderChunk(code) {
      return code.replace(statement, (_import, name?: string, names?: string, id?: string) => {
        if (name === 'childProcess') return lazily(name, id);
        if (id === 'node:os' && names !== undefined) return onCall(names, id);
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

/** Exports of a module that few commands use: its functions load it when they are called. */
function onCall(names: string, id: string): string {
  const module = `globalThis.process.getBuiltinModule("${id}")`;
  const exported = process.getBuiltinModule(id) as Readonly<Record<string, unknown>>;
  return names
    .split(', ')
    .map((one) => {
      const [name = '', local = name] = one.split(' as ');
      const isFunction = typeof exported[name] === 'function';
      return `const ${local} = ${isFunction ? `(...all) => ${module}.${name}(...all)` : `${module}.${name}`};`;
    })
    .join(' ');
}
