/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly string[]): string {
  return `${[row(head), `|${'---|'.repeat(head.length)}`, ...rows].join('\n')}\n`;
}

/** A row of a table; the cells are escaped already. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Text as the cell of a table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** A block of JSON. */
export function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
}

export function codes(texts: readonly string[]): string {
  return texts.map((text) => `\`${cell(text)}\``).join(', ');
}
