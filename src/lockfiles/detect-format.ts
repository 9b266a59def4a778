import { formatNamed, formatOfName } from './known-formats.ts';
import { decodeText } from './syntax/decode-text.ts';

/** The part of a file from which its format is detected. */
export const HEAD_BYTES = 4_096;

/** The name of the format of a file: that which was requested, or by its name, else by the beginning of its content, `readHead`. */
export async function detectFormatName(
  path: string,
  readHead: () => string | Promise<string>,
  requested: string | undefined,
): Promise<string | undefined> {
  const known = requested === undefined ? formatOfName(path) : formatNamed(requested);
  if (known !== undefined || requested !== undefined) return known?.name;
  const { formatOfContent } = await import('./catalog.ts');
  return formatOfContent(await readHead())?.name;
}

/** The beginning of a content as text; empty for binary content, which no format recognises. */
export function headText(content: Buffer): string {
  try {
    return decodeText(content.subarray(0, HEAD_BYTES), '');
  } catch {
    return '';
  }
}
