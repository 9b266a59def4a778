import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const anchor = fileURLToPath(import.meta.url);

/** Vue is that of docs/, whichever folder the page is in. Pages that are rendered in advance load it as a package. */
async function resolveModule(
  this: { resolve(source: string, importer: string, options: object): Promise<unknown> },
  source: string,
  importer: string | undefined,
  { ssr }: { readonly ssr?: boolean },
) {
  if (!/^vue(?:\/|$)/.test(source) || importer === anchor) return undefined;
  return ssr === true ? { id: source, external: true } : this.resolve(source, anchor, { skipSelf: true });
}

const docs = new URL('..', import.meta.url);

/** The order of the pages; further ones follow. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Use: [
    'start',
    'configuration',
    'gate',
    'offline',
    'code-review',
    'continuous-integration',
    'reports',
    'advice',
    'priority',
    'suppressions',
  ],
  Operate: [
    'operating',
    'page',
    'fleet',
    'fleet-commands',
    'ledger',
    'dossiers',
    'schedules',
    'redis',
    'reliability',
  ],
  Contracts: ['library', 'producers', 'webhooks', 'deliveries', 'api', 'services'],
  Findings: ['signals', 'incidents'],
};

/** A page with its heading. */
function pageOf(name: string) {
  const [, text = name] = /^# (.+)$/m.exec(readFileSync(new URL(`${name}.md`, docs), 'utf8')) ?? [];
  return { text, link: `/docs/${name}` };
}

function sidebar() {
  const names = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3));
  const listed = new Set(Object.values(SECTIONS).flat());
  const sections = Object.entries(SECTIONS).map(([text, own]) => ({
    text,
    items: own.filter((name) => names.includes(name)).map(pageOf),
  }));
  const inside = [
    { text: 'Architecture', link: '/ARCHITECTURE' },
    { text: 'Contributing', link: '/CONTRIBUTING' },
  ];
  return [
    ...sections,
    folderSection('Reference', 'reference'),
    folderSection('Types of the libraries', 'libraries'),
    folderSection('Rules', 'rules'),
    folderSection('Commands', 'commands'),
    folderSection('Formats of lockfiles', 'formats'),
    { text: 'More', items: [...names.filter((name) => !listed.has(name)).map(pageOf), ...inside] },
  ];
}

/** The pages of a folder, with their names. */
function folderSection(text: string, folder: string) {
  const names = readdirSync(new URL(`${folder}/`, docs)).filter((name) => name !== 'index.md');
  const items = names.map((name) => ({
    text: name.slice(0, -3),
    link: `/docs/${folder}/${name.slice(0, -3)}`,
  }));
  return { text, link: `/docs/${folder}/`, collapsed: true, items };
}

/** The site reads README.md as its first page and docs/ as the others; nothing is written twice. */
// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default defineConfig({
  title: 'Lockhound',
  description: 'Watches the dependencies of many repositories and reports what changed, once.',
  srcDir: '..',
  srcExclude: ['**/node_modules/**', 'examples/**', 'test/**', 'dist/**', 'deploy/**', 'data/**', '.*/**'],
  outDir: './.vitepress/dist',
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md' },
  // Files of the repository that are no pages; test/docs/links.test.ts checks that they exist.
  ignoreDeadLinks: [/(?:^|\/)(?:LICENSE|schemas|examples|action|deploy|apis|lockhound)/],
  // Pages outside of docs/ find the modules of the site, too.
  vite: { plugins: [{ name: 'modules-of-the-site', enforce: 'pre', resolveId: resolveModule }] },
  markdown: {
    config(md) {
      // Braces in code are not expressions of the site.
      const render = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index]?.attrSet('v-pre', '');
        return render?.(tokens, index, ...rest) ?? '';
      };
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/docs/start' },
      { text: 'Security', link: '/SECURITY' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: sidebar(),
  },
});
