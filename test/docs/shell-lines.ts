import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'SECURITY.md',
  'examples/shop/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => `docs/${name}`)
    .sort(),
];
/** A block of code with its indentation and its language. */
const BLOCK = /^( *)```(\w*)[^\n]*\n(.*?)^ *```$/gms;
const QUOTED = /'[^']*'|"[^"]*"/g;

/** A command line of a document, which may be several lines of a shell that belong together. */
export interface ShellLine {
  readonly page: string;
  /** Without its comment. */
  readonly text: string;
}

/** All command lines of the documents, each text once, in the order of the pages. */
export function shellLines(): readonly ShellLine[] {
  const lines = PAGES.flatMap((page) =>
    linesIn(readFileSync(join(ROOT, page), 'utf8')).map((text) => ({ page, text })),
  );
  const known = new Set<string>();
  return lines.filter(({ text }) => !known.has(text) && known.add(text));
}

/** Pages with a block that looks like one of a shell and does not say so. */
export function undeclaredBlocks(): readonly string[] {
  return PAGES.filter((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(BLOCK)].some(
      ([, , language, block = '']) =>
        language !== 'sh' && /^ *(?:lockhound|npx|docker|npm) [a-z]/m.test(block) && language === '',
    ),
  );
}

function linesIn(page: string): readonly string[] {
  return [...page.matchAll(BLOCK)]
    .filter(([, , language]) => language === 'sh')
    .flatMap(([, indent = '', , block = '']) =>
      commandsIn(block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')),
    );
}

/** Joins lines that go on: after a backslash, or within quotes. */
function commandsIn(block: string): readonly string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of block.split('\n')) {
    const text = open + line;
    if (text.endsWith('\\')) open = text.slice(0, -1);
    else if (/['"]/.test(withoutComment(text).replaceAll(QUOTED, ''))) open = `${text}\n`;
    else {
      commands.push(withoutComment(text).trim().replaceAll(/ {2,}/g, ' '));
      open = '';
    }
  }
  return commands.filter((one) => one !== '');
}

function withoutComment(text: string): string {
  const blanked = text.replaceAll(QUOTED, (quoted) => '_'.repeat(quoted.length));
  const at = /(?:^|\s)#/.exec(blanked)?.index;
  return at === undefined ? text : text.slice(0, at);
}
