import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { compactCss } from './compact-css.ts';

const WEB = join(import.meta.dirname, '../web/report');

/** The script and the style sheet of the HTML report as texts, which the report contains. */
export async function generateReportAssets(): Promise<
  readonly { readonly path: string; readonly content: string }[]
> {
  const bundle = await rolldown({ input: join(WEB, 'main.ts'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  const script = output
    .map((file) => (file.type === 'chunk' ? file.code : ''))
    .join('')
    .trim();
  const style = compactCss(await readFile(join(WEB, 'report.css'), 'utf8'));
  if (/<\/?(?:script|!--)/i.test(script) || style.includes('</')) {
    throw new Error('the script or the style sheet of the report would end its element');
  }
  const content = `// Generated from web/report by \`npm run generate\`. Do not edit.

/** The only script of the HTML report. */
export const SCRIPT = ${JSON.stringify(script)};

/** The only style sheet of the HTML report. */
export const STYLE = ${JSON.stringify(style)};
`;
  return [{ path: 'src/report/html/assets.generated.ts', content }];
}
