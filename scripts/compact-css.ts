/** Without comments, indents and line breaks, which our style sheets need nowhere. */
export function compactCss(css: string): string {
  return css
    .replaceAll(/\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g, '')
    .split('\n')
    .map((line) => line.trim())
    .join('');
}
