import type { DirectoryItem } from '../../discovery/directory/directory-list.ts';
import { printable } from '../../model/printable.ts';
import { columns, type TextOptions } from '../layout.ts';
import { palette } from '../palette.ts';

/** The APIs of a directory, one row each. */
export function listText(items: readonly DirectoryItem[], { colour, width }: TextOptions): string {
  const paint = palette(colour);
  const rows = items.map(({ id, title, labels, preferred, documentUrl = '' }) => {
    const facts = [...(preferred ? ['preferred'] : []), ...labels].join(', ');
    const what = `${printable(title)}${facts === '' ? '' : ` (${printable(facts)})`}`;
    return [paint.strong(printable(id)), `${what}  ${paint.faint(printable(documentUrl))}`.trimEnd()];
  });
  const count = items.length === 1 ? '1 API' : `${items.length} APIs`;
  return `${[...columns(rows, { width }), count].join('\n')}\n`;
}
