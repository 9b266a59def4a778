import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { compactCss } from './compact-css.ts';

const WEB = join(import.meta.dirname, '../web/page');

/** Largest size of the page in gzip, in bytes: what a browser loads before it shows anything. */
const MAX_BYTES = 300_000;

/** Bundles the live page and writes it to a folder, each file also in brotli and gzip. Resolves to the modules that it contains. */
export async function buildPage(out: string): Promise<readonly string[]> {
  const bundle = await rolldown({
    input: join(WEB, 'main.tsx'),
    platform: 'browser',
    tsconfig: join(WEB, '../tsconfig.json'),
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    onLog(level, log) {
      // A module that is not found would be left to the browser, which cannot load it.
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  const [chunk] = output;
  const styles = readdirSync(join(WEB, 'styles'))
    .sort()
    .map((name) => readFileSync(join(WEB, 'styles', name), 'utf8'));
  const style = compactCss(styles.join('\n'));
  const [script, sheet, icon] = [
    nameOf('page', 'js', chunk.code),
    nameOf('page', 'css', style),
    nameOf('icon', 'svg', readFileSync(join(WEB, 'icon.svg'), 'utf8')),
  ];
  const index = readFileSync(join(WEB, 'index.html'), 'utf8')
    .replace('{{script}}', `/page/${script}`)
    .replace('{{style}}', `/page/${sheet}`)
    .replace('{{icon}}', `/page/${icon}`);
  const files: Readonly<Record<string, string>> = {
    [script]: chunk.code,
    [sheet]: style,
    [icon]: readFileSync(join(WEB, 'icon.svg'), 'utf8'),
    'index.html': index,
  };
  mkdirSync(out, { recursive: true });
  let total = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = gzipSync(content, { level: 9 });
    total += packed.length;
    writeFileSync(join(out, name), content);
    writeFileSync(join(out, `${name}.gz`), packed);
    writeFileSync(join(out, `${name}.br`), brotliCompressSync(content));
  }
  if (total > MAX_BYTES) throw new Error(`the page has ${total} bytes in gzip, more than ${MAX_BYTES}`);
  return chunk.moduleIds;
}

/** A name with a hash of the content, so that browsers may keep the file for ever. */
function nameOf(base: string, suffix: string, content: string): string {
  const hash = createHash('sha256').update(content).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 10);
  return `${base}-${hash}.${suffix}`;
}
