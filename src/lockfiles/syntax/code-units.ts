/** The UTF-16 code units of a text as numbers: access is much faster than in a string. */
export type CodeUnits = Uint8Array | Uint16Array;

/** The UTF-16 code units of a text, followed by a 0. ASCII texts, which nearly all are, have one byte for each. */
export function unitsOf(text: string): CodeUnits {
  if (Buffer.byteLength(text) === text.length) {
    const bytes = Buffer.allocUnsafeSlow(text.length + 1);
    bytes[bytes.write(text, 'latin1')] = 0;
    return new Uint8Array(bytes.buffer);
  }
  const bytes = Buffer.allocUnsafeSlow(2 * text.length + 2);
  bytes.writeUInt16LE(0, bytes.write(text, 'utf16le'));
  return new Uint16Array(bytes.buffer);
}

/** The text of code units that `unitsOf` returned. */
export function textOfUnits({ buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: size }: CodeUnits): string {
  return Buffer.from(buffer, byteOffset, byteLength - size).toString(size === 1 ? 'latin1' : 'utf16le');
}
